package proxy

import (
	"bytes"
	"html"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/page"
)

// A Page is one that the admin address shows beside that of runs, while there is that of runs.
type Page struct {
	Path    string                  // such as "/demo/": the page, and what lies below it
	Title   string                  // of the link that the page of runs has to it
	Connect string                  // the origin that it calls besides its own
	Handler fasthttp.RequestHandler // answers GET and HEAD; its files hold nothing of a run
}

// ShowPage adds a page. Call it before [Server.ServeAdmin].
func (s *Server) ShowPage(p Page) { s.pages = append(s.pages, p) }

// answerPage answers a request for a page that was added. It returns false where there is none.
func (s *Server) answerPage(ctx *fasthttp.RequestCtx) bool {
	for _, p := range s.pages {
		if strings.HasPrefix(string(ctx.Path()), p.Path) {
			p.Handler(ctx)
			secure(&ctx.Response.Header)
			ctx.Response.Header.Set("Content-Security-Policy", page.PolicyWith(p.Connect))
			return true
		}
	}
	return false
}

// withLinks is a file of the page of runs with links to those that were added.
func (s *Server) withLinks(file []byte) []byte {
	var links []byte
	for _, p := range s.pages {
		links = append(links, `<a href="`+html.EscapeString(p.Path)+`">`+html.EscapeString(p.Title)+`</a>`...)
	}
	return bytes.Replace(file, []byte(page.Links), links, 1)
}
