package hub

import (
	"bytes"
	"slices"
	"strings"
)

// Hello is the least request that says something: one message of the user's. It is for people who try a route or an agent.
func Hello() *Request {
	return &Request{Messages: []Message{{Role: RoleUser, Parts: []Part{{Kind: PartText, Text: []byte("Hello")}}}}}
}

// Hello is the body of [Hello] in the dialect; nil where requests of the dialect are not written. It names a conversation only
// where a client says nothing but what is new in one.
func (d *Dialect) Hello() []byte { return d.HelloTo("") }

// HelloTo is likewise the body for a model; "" names none.
func (d *Dialect) HelloTo(model string) []byte {
	req := Hello()
	req.Model = []byte(model)
	body := d.write(req)
	if body != nil && d.SaysNews(body) {
		req.Thread = []byte("thread-1")
		body = d.write(req)
	}
	return body
}

// TakesModel reports whether requests of the dialect name a model.
func (d *Dialect) TakesModel() bool {
	req := Hello()
	req.Model = []byte("m")
	return !bytes.Equal(d.write(req), d.write(Hello()))
}

// NamesModel reports whether clients of the dialect can name the model that they want, in the body of a request or in its path.
func (d *Dialect) NamesModel() bool {
	req := Hello()
	req.Model = []byte("p/m") // some name the provider, too
	inPath := func(e Endpoint) bool { return e.Operation == OpRun && strings.Contains(e.Path, "{model}") }
	return !bytes.Equal(d.write(req), d.write(Hello())) || slices.ContainsFunc(d.Endpoints, inPath)
}

func (d *Dialect) write(req *Request) []byte {
	write := d.RequestWriter()
	if write == nil {
		return nil
	}
	body, err := write(nil, req, new(Losses))
	if err != nil {
		return nil
	}
	return body
}

// SaysNews reports whether the body of a client says nothing but what is new in a conversation that others have to keep.
func (d *Dialect) SaysNews(body []byte) bool {
	if d.Messages == nil {
		return false
	}
	asked := Request{Header: func(string) string { return "" }}
	return d.Requests.DecodeRequest(&asked, body) == nil && asked.Partial
}
