// Package page holds the page on which operators look at runs: plain files, as browsers take them, in the program.
package page

import (
	"embed"
	"mime"
	"path"
	"strings"
)

//go:embed files
var files embed.FS

// Prefix is where the page lies.
const Prefix = "/inspect/"

// File is a file of the page by the path of its request; nil if there is none. The page itself is Prefix.
func File(at string) (content []byte, media string) {
	name, ok := strings.CutPrefix(at, Prefix)
	if !ok {
		return nil, ""
	}
	if name == "" {
		name = "index.html"
	}
	content, err := files.ReadFile("files/" + name)
	if err != nil {
		return nil, ""
	}
	return content, mediaType(name)
}

// mediaType is the type of a file. The system's own list is not asked: browsers refuse modules that it knows by another name.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.FormatMediaType("text/html", map[string]string{"charset": "utf-8"})
}

// Policy is the Content-Security-Policy of the page: nothing but its own files, and no code in them that stands in a page.
var Policy = PolicyWith("")

// PolicyWith is the policy of a page that calls another origin, too.
func PolicyWith(origin string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " + strings.TrimSpace("'self' "+origin) +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// Links stands in the page where links to other pages have their place.
const Links = "<!-- links -->"
