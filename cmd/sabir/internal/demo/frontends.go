package demo

import (
	"cmp"
	"embed"
	"encoding/json"
	"html"
	"path"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/cmd/sabir/internal/try"
	"github.com/sabir-proxy/sabir/proxy"
)

// frontEndFiles hold the page on which clients of two dialects ask for the same run. conformance/browser/bundle makes clients.js.
//
//go:embed frontends
var frontEndFiles embed.FS

// frontEndsPath is where the page lies, on the address for operators.
const frontEndsPath = "/demo/"

// frontEnds is the page, for the clients' address of this demo.
func (l *Live) frontEnds() proxy.Page {
	base := try.Base(l.Clients.Addr(), false)
	return proxy.Page{Path: frontEndsPath, Title: "Front ends", Connect: base, Handler: func(ctx *fasthttp.RequestCtx) {
		name := cmp.Or(strings.TrimPrefix(string(ctx.Path()), frontEndsPath), "index.html")
		if name == "scenarios.json" {
			ctx.SetContentType("application/json")
			ctx.SetBody(l.choices())
			return
		}
		content, err := frontEndFiles.ReadFile("frontends/" + name)
		if err != nil {
			ctx.Error("The page has no such file.\n", fasthttp.StatusNotFound)
			return
		}
		ctx.SetContentType(mediaTypes[path.Ext(name)])
		ctx.SetBodyString(strings.Replace(string(content), "{{sabir}}", html.EscapeString(base), 1))
	}}
}

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".txt": "text/plain; charset=utf-8",
}

// choices are the scenarios, the usual one first.
func (l *Live) choices() []byte {
	type choice struct {
		Name  string `json:"name"`
		About string `json:"about"`
	}
	list := []choice{{l.usual.name, l.usual.about}}
	for _, s := range l.scenarios {
		if s != l.usual {
			list = append(list, choice{s.name, s.about})
		}
	}
	text, _ := json.Marshal(list) // of strings alone
	return text
}
