package declared

import (
	"regexp"
	"slices"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Limits of a document.
const (
	maxRules    = 256
	maxSettle   = 10 * time.Second
	maxListText = 32 // framings, media types
)

// topKeys are the keys of a document, in the order of the manual.
var topKeys = []string{
	"title", "doc", "framing", "framings", "accept", "type", "end_mark", "end_of_body", "settle", "keepalive", "http_error",
	"request", "tools", "common", "decode", "else", "lanes", "encode", "samples",
}

var dialectName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Parse makes a dialect of a document: YAML that was decoded into map[string]any, []any, string, bool, int and float64. name
// is what routes call it. If there are problems the dialect is nil; all of them are returned, in the order of the manual.
//
// The dialect never changes and may be used by any number of streams. It has no options: the document says everything.
func Parse(name string, doc map[string]any) (*hub.Dialect, []Problem) {
	r := &report{}
	if !dialectName.MatchString(name) {
		r.add("", "the name %q of the dialect, which is that of its file or its key in dialects, must be made of a-z, 0-9 and single hyphens", clip(name))
	}
	if doc == nil {
		doc = map[string]any{}
	}
	c := &compiler{report: r, name: name}
	d := c.document(node{r, "", doc})
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return d, nil
}

// compiler turns a document into tables.
type compiler struct {
	*report
	name     string
	typed    bool // records have a type
	numbered bool // some types are numbers
	plans    []*plan
	prefixes []string // of ids of parts, by counter
	tools    *tools
	common   []assign
}

// inner returns a reader for elements of lists, with a view of its own.
func (c *compiler) inner() *reader {
	c.plans = append(c.plans, newPlan())
	return &reader{plan: c.plans[len(c.plans)-1], view: len(c.plans) - 1, each: true}
}

// counter returns the number of the counter for a prefix of ids.
func (c *compiler) counter(prefix string) int {
	if i := slices.Index(c.prefixes, prefix); i >= 0 {
		return i
	}
	c.prefixes = append(c.prefixes, prefix)
	return len(c.prefixes) - 1
}

// body reads a text as the body of a JSON string.
func (c *compiler) body(n node, absent string) string {
	s, ok := n.text()
	if !ok {
		s = absent
	}
	return string(rawjson.AppendEscaped(nil, []byte(s)))
}

// document reads all of it. Where a part has problems the rest is still read, to find them all.
func (c *compiler) document(n node) *hub.Dialect {
	c.plans = []*plan{newPlan()}
	m, _ := n.fixed(topKeys...)
	d := &hub.Dialect{Name: c.name, Title: c.name, Doc: "A dialect that the configuration declares."}
	c.head(m, d)
	in := c.readDecode(m)
	out := c.readEncode(m, d)
	for _, p := range c.plans {
		p.finish()
	}
	switch {
	case in == nil && out == nil:
		n.problem("says neither how records are read (decode) nor how they are written (encode)")
	case in != nil:
		d.NewDecoder = func(o hub.Options) hub.Decoder { return newDecoder(in, o) }
		d.Observe = in.observe
		d.EndsWithBody, d.Grammar = in.endsWithBody, in.grammar
	}
	if len(c.problems) == 0 {
		c.checkSamples(m.get("samples"), in)
	}
	if out != nil {
		d.Caps = out.caps()
		d.NewEncoder = func(hub.Options) hub.Encoder { return newEncoder(out) }
	}
	return d
}

// head reads what is about the dialect as a whole.
func (c *compiler) head(m fields, d *hub.Dialect) {
	if s, ok := m.get("title").text(); ok {
		d.Title = s
	}
	if s, ok := m.get("doc").text(); ok {
		d.Doc = s
	}
	c.framings(m, d)
	for _, n := range c.few(m.get("accept")) {
		if s, ok := n.text(); ok {
			d.Accept = append(d.Accept, s)
		}
	}
	if s, ok := m.get("settle").text(); ok {
		settle, err := time.ParseDuration(s)
		if err != nil || settle < 0 || settle > maxSettle {
			m.get("settle").problem("must be a duration up to %s, such as 250ms, not %q", maxSettle, clip(s))
		}
		d.EndGrace = settle
	}
}

// few reads a short list.
func (c *compiler) few(n node) []node {
	all := n.oneOrMore()
	if len(all) > maxListText {
		n.problem("lists more than %d", maxListText)
		return nil
	}
	return all
}

// framings reads the framing of what is written, and what else the dialect is known to travel in.
func (c *compiler) framings(m fields, d *hub.Dialect) {
	d.Framing = c.framing(m.get("framing"))
	d.Framings = []wire.Framing{d.Framing}
	for _, n := range c.few(m.get("framings")) {
		if f := c.framing(n); !slices.Contains(d.Framings, f) {
			d.Framings = append(d.Framings, f)
		}
	}
}

func (c *compiler) framing(n node) wire.Framing {
	s, ok := n.text()
	f, err := wire.ParseFraming(s)
	switch {
	case !ok:
		return wire.SSE
	case err != nil || f == wire.Auto:
		n.problem("must be sse, ndjson, concat, websocket, length-prefix or content-length, not %q", clip(s))
		return wire.SSE
	}
	return f
}
