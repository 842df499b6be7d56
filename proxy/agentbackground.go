package proxy

import (
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// Some agents run without a reader alone. They are asked to begin, which they answer at once, and then for what is said in the run. It goes on
// when its client leaves, so that it is cancelled then.

// runsInBackground reports whether the request of a call was written for such an agent.
func (c *call) runsInBackground() bool {
	r := c.route
	how := r.source.Background
	return how != nil && c.translated && r.form.dialect == r.source && how.Wants(r.form.options)
}

// maxBegun is how large the answer to a request may be that begins a run, which may hold all of one that has ended at once.
const maxBegun = 8 << 20

// openInBackground begins the run of a call, and opens its stream.
func (x *stream) openInBackground(sink sink, until time.Time) (*upstream.Body, error) {
	c, up := x.call, x.call.route.up
	c.request.Header.Del(fasthttp.HeaderAcceptEncoding)
	answer, err := x.succeed(up, c.request, sink, until)
	if err != nil {
		return nil, err
	}
	begun, err := answer.ReadAll(maxBegun, until)
	if err != nil {
		return nil, err
	}
	read, cancel, err := c.route.source.Background.Follow(begun)
	if err != nil {
		return nil, hub.Fail(hub.CodeMalformed, err)
	}
	end, err := c.sessionRequest(cancel)
	if err != nil {
		return nil, hub.Fail(hub.CodeMalformed, fmt.Errorf("the run that was begun cannot be named, and goes on: %w", err))
	}
	x.cancelRequest = &cancelRequest{request: end, body: func(string) []byte { return cancel.Body }, begun: true}
	req, err := c.sessionRequest(read)
	if err != nil {
		return nil, hub.Fail(hub.CodeMalformed, err)
	}
	defer fasthttp.ReleaseRequest(req)
	return x.succeed(up, req, sink, until)
}
