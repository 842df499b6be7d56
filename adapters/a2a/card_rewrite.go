package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// rewriteCard appends an answer that holds the card of another server, with that server's URLs replaced: clients call the URLs of a card,
// whoever has given it to them. A signature is left out, as it is one of the card as it was. An answer without a card is none of this.
func rewriteCard(dst, answer []byte, replace func(url string) string) (_ []byte, ok bool) {
	o, err := rawjson.DecodeObject(answer)
	if err != nil {
		return dst, false
	}
	result := rawjson.ReadObject(o.Get("result"))
	if !isCard(o) && !isCard(&result) {
		return dst, false
	}
	w := jsonwriter.New(dst)
	c := cardWriter{w: w, replace: replace}
	if isCard(o) {
		c.card(o)
		return w.Buf, true
	}
	w.Open('{')
	for key, v := range o.All() {
		if w.Key(string(key)); string(key) == "result" {
			c.card(&result)
		} else {
			w.Raw(v)
		}
	}
	w.Close('}')
	return w.Buf, true
}

// isCard reports whether an object is a card: its lists of interfaces, or the URL and what can be done there, are in no other.
func isCard(o *rawjson.Object) bool {
	return o.Get("supportedInterfaces") != nil || o.Get("url") != nil && (o.Get("capabilities") != nil || o.Get("skills") != nil)
}

// cardWriter writes a card with other URLs.
type cardWriter struct {
	w       *jsonwriter.Writer
	replace func(url string) string
}

func (c cardWriter) card(o *rawjson.Object) {
	c.w.Open('{')
	for key, v := range o.All() {
		switch name := string(key); name {
		case "signatures":
		case "supportedInterfaces", "additionalInterfaces":
			c.interfaces(name, v)
		case "url":
			c.url(v)
		default:
			c.w.Value(name, v)
		}
	}
	c.w.Close('}')
}

// interfaces writes those that are called by HTTP: others, as gRPC, would lead to the server itself.
func (c cardWriter) interfaces(list string, v rawjson.Value) {
	c.w.OpenAt(list, '[')
	for _, o := range rawjson.EachObject(v) {
		binding := o.Text("protocolBinding")
		if binding == nil {
			binding = o.Text("transport")
		}
		if name := string(binding); name != bindingRPC && name != bindingREST {
			continue
		}
		c.w.Open('{')
		for key, v := range o.All() {
			if name := string(key); name == "url" {
				c.url(v)
			} else {
				c.w.Value(name, v)
			}
		}
		c.w.Close('}')
	}
	c.w.Close(']')
}

func (c cardWriter) url(v rawjson.Value) {
	was := rawjson.AppendUnescaped(nil, rawjson.Body(v))
	c.w.Text("url", escaped(c.replace(string(was))))
}
