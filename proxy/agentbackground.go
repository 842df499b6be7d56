package proxy

import (
	"bytes"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
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
	begun, err := x.askInBackground(sink, until)
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

// askInBackground begins the run of a call, and returns the answer, which names the run.
func (x *stream) askInBackground(sink sink, until time.Time) ([]byte, error) {
	c := x.call
	x.asksUnnamed(&cancelRequest{request: c.bare(fasthttp.MethodPost), find: inAnswer(func(begun []byte) (hub.SessionCall, error) {
		_, cancel, err := c.route.source.Background.Follow(begun)
		return cancel, err
	})})
	answer, r, err := x.ask(c.route.up, c.request, sink, until)
	switch {
	case err != nil:
		x.unasked(err)
		return nil, err
	case r != nil:
		x.begunNone()
		return nil, x.refused(c.route.up, r, sink)
	}
	src, err := x.plain(answer)
	if err != nil {
		return nil, err
	}
	var begun rawio.Buffer
	err = readWhole(src, &begun, maxBegun, until)
	if stopped := x.canceler.Failure(); err != nil && stopped != nil {
		x.late = newLateAnswer(src, begun)
		return nil, stopped
	}
	defer begun.Release()
	src.Close()
	x.canceler.readOn(nil)
	if err != nil {
		return nil, err
	}
	x.cancelRequest.release()
	x.cancelRequest = nil
	return bytes.Clone(begun.Unread()), nil
}
