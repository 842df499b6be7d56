// Package urls reads the URLs of requests as the most lenient server behind Sabir may read them, so that none of them finds in one what
// Sabir has not seen: path.go has paths, query.go the names of parameters.
package urls

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// Path is the path of a request in its two forms.
type Path struct {
	// raw is the path as the client has escaped it, without dot segments: what upstreams get of it.
	Raw string
	// plain is what routes are compared with: decoded, and without empty segments. An escaped slash separates nothing,
	// and stays escaped.
	Plain string
}

var errBadPath = errors.New("the path of the request is not valid")

// Of reads the path of a request.
func Of(req *fasthttp.Request) (Path, error) {
	path := req.URI().PathOriginal()
	if len(path) == 0 { // the host is not one
		return Path{}, errBadPath
	}
	return Parse(string(path))
}

// Parse cleans a path of dot segments. Bad escapes are an error, and so are zero bytes and dot segments that only
// become such when a server decodes more than once or takes more than a slash for a separator: those would lead out of
// what the route stands for.
func Parse(path string) (Path, error) {
	if isPlain(path) {
		return Path{Raw: path, Plain: path}, nil
	}
	return parseSegments(path)
}

// isPlain reports whether a path is the same in both forms for certain, as nearly all are: it has unreserved letters and single
// slashes, and no segment begins with a dot.
func isPlain(path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	var last byte
	for i := range len(path) {
		c := path[i]
		if !isUnreserved(c) && c != '/' || last == '/' && (c == '/' || c == '.') {
			return false
		}
		last = c
	}
	return true
}

// isUnreserved is a letter that RFC 3986 §2.3 never wants escaped.
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func parseSegments(path string) (Path, error) {
	var raw, plain []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range segments {
		decoded, err := url.PathUnescape(segment)
		if err != nil || strings.ContainsRune(decoded, 0) || hidesDots(decoded) {
			return Path{}, errBadPath
		}
		if decoded != "." && decoded != ".." {
			raw = append(raw, escapeUnsafe(segment))
			continue
		}
		if decoded == ".." {
			raw = raw[:max(len(raw)-1, 0)]
		}
		if i == len(segments)-1 { // what ends with dots is a folder
			raw = append(raw, "")
		}
	}
	for i, segment := range raw {
		if segment != "" || i == len(raw)-1 {
			plain = append(plain, strings.ReplaceAll(Unescaped(segment), "/", "%2F"))
		}
	}
	return Path{Raw: "/" + strings.Join(raw, "/"), Plain: "/" + strings.Join(plain, "/")}, nil
}

// hidesDots reports whether one decoded segment of a path holds dot segments for servers that decode before they split,
// split at backslashes as well, or cut parameters off.
func hidesDots(segment string) bool {
	if segment == "." || segment == ".." {
		return false // plainly there
	}
	parts := strings.FieldsFunc(segment, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.ContainsFunc(parts, func(part string) bool {
		part, _, _ = strings.Cut(part, ";")
		return part == "." || part == ".."
	})
}

// escapeUnsafe escapes what must not stand in a URI as it is (RFC 3986 §2); what the client has escaped stays.
func escapeUnsafe(segment string) string {
	const upper = "0123456789ABCDEF"
	unsafe := func(c byte) bool { return c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>?\\^`{|}", c) >= 0 }
	var out []byte
	for i := range len(segment) {
		if c := segment[i]; unsafe(c) {
			out = append(out, '%', upper[c>>4], upper[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// Canonical is the path with as few escapes as there can be, and without empty segments: the same for all paths that are plainly the same.
func (p Path) Canonical() string {
	var out []string
	segments := strings.Split(strings.TrimPrefix(p.Raw, "/"), "/")
	for i, segment := range segments {
		if segment != "" || i == len(segments)-1 {
			out = append(out, url.PathEscape(Unescaped(segment)))
		}
	}
	return "/" + strings.Join(out, "/")
}

// OneSlash is a path without empty segments but at its ends.
func OneSlash(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// Beyond is what the raw path has after its first n segments, not counting empty ones.
func (p Path) Beyond(n int) string {
	rest := p.Raw
	for ; n > 0; n-- {
		rest = strings.TrimLeft(rest, "/")
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			rest = rest[i:]
		} else {
			rest = ""
		}
	}
	return rest
}

// Unescaped is what a path says, for names that are part of it.
func Unescaped(path string) string {
	if s, err := url.PathUnescape(path); err == nil {
		return s
	}
	return path
}
