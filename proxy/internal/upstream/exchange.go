package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// A stop ends what waits for an upstream, when its stream is canceled.
type stop interface {
	// OnCancel sets what makes a blocked read return; see the canceler of streams.
	OnCancel(cancel func())

	// OnWake sets what does so in its place where the answer is still wanted, which is read on without the stream then.
	OnWake(wake func())

	// Failure is why the stream was canceled, nil if it was not.
	Failure() *hub.Failure
}

// Open sends req and waits for the header of the answer, until the given time at most. On success the body is ready to
// be read.
//
// A server may close an idle connection while a request is on its way. Such a request is sent once more, on a new
// connection; see [upstreamConn.stale] for when.
//
// The error is an [Unanswered] where the stream was canceled, and the answer is still wanted.
func (i *Instance) Open(req *fasthttp.Request, by stop, until time.Time) (*Body, error) {
	again := false // never on one of those that are as old
	for c := i.kept(); ; c = nil {
		if c == nil {
			var err error
			if c, err = i.reach(by, until, again); err != nil {
				return nil, NotSent{DialFailure(err)}
			}
		}
		cut, wake := c.lent()
		by.OnCancel(cut)
		begun := time.Now()
		body, err := c.exchange(req, until, func() { by.OnWake(wake) })
		if err == nil {
			return body, nil
		}
		if left := (*Unanswered)(nil); errors.As(err, &left) {
			return nil, left
		}
		again = by.Failure() == nil && c.reused && c.stale(err, time.Since(begun)) && by.Failure() == nil
		c.Close()
		if again {
			i.Upstream.retries.Inc()
			continue
		}
		if !c.sent {
			return nil, NotSent{AnswerFailure(err)}
		}
		return nil, AnswerFailure(err)
	}
}

// reach returns a connection that is not one of those kept, until the given time at most: a place on a shared one, unless it must be
// fresh, or a new one.
func (i *Instance) reach(by stop, until time.Time, fresh bool) (*upstreamConn, error) {
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	by.OnCancel(cancel)
	if i.shared != nil {
		return i.shared.get(ctx, fresh)
	}
	return i.connect(ctx)
}

// NotSent is the failure of a request of which nothing has left: it has certainly not begun a run.
type NotSent struct{ *hub.Failure }

// Unwrap shows the failure to errors.As.
func (n NotSent) Unwrap() error { return n.Failure }

// staleTime is how soon a kept connection shows that the server has closed it. One that is reset later was in use by a server.
const staleTime = time.Second

// stale reports that a kept connection was lost before the server's program took the request: nothing of it has left, or the connection
// was reset, which is what becomes of bytes that no program reads. A program that has read a request and then ends, or closes, ends the
// connection without a reset: it may have begun a run, whatever the method, and is not asked again.
func (c *upstreamConn) stale(err error, after time.Duration) bool {
	switch {
	case c.answered || rawio.IsTimeout(err) || !isLost(err):
		return false
	case !c.sent:
		return true
	case after >= staleTime:
		return false
	case rawio.IsReset(err) || rawio.IsReset(c.readErr):
		return true
	}
	// The end of the connection and the request may have crossed. The reset that answers the request is on its way then.
	return errors.Is(err, io.EOF) && rawio.ResetFollows(c.Conn, staleTime-after)
}

// isLost reports that the other side closed the connection, or lost it.
func isLost(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.As(err, &op)
}

// send sends a request, and notes whether something of it has left.
func (c *upstreamConn) send(req *fasthttp.Request) error {
	if c.owner.shared != nil {
		c.Conn.(*http2Exchange).send(req)
		c.sent = true
		return nil
	}
	n, err := req.WriteTo(c.Conn)
	c.sent = n > 0
	return err
}

// ownBody is called before the body of a request may change.
func (c *upstreamConn) ownBody() {
	if c.owner.shared != nil {
		c.Conn.(*http2Exchange).body.own()
	}
}

// noteRefused notes whether a request by HTTP/2 that has failed was certainly not begun. Another one that is lost may have been: a
// connection that others share does not show that it was closed before.
func (c *upstreamConn) noteRefused() {
	if c.owner.shared == nil {
		return
	}
	if c.Conn.(*http2Exchange).refused.Load() {
		c.sent = false
	} else {
		c.reused = false
	}
}

// exchange sends the request and reads the response header. begins is called before anything leaves.
func (c *upstreamConn) exchange(req *fasthttp.Request, until time.Time, begins func()) (*Body, error) {
	if first := time.Now().Add(c.owner.Upstream.Cfg.Timeouts.FirstByte); first.Before(until) {
		until = first
	}
	c.sent, c.answered, c.readErr = false, false, nil
	if err := c.SetDeadline(until); err != nil {
		return nil, err
	}
	c.woken.Store(false)
	begins()
	br := acquireReader(c, c.owner.Upstream.MaxHeader)
	defer c.ownBody()
	sendErr := c.send(req)
	if sendErr != nil && rawio.IsTimeout(sendErr) {
		releaseReader(br)
		return nil, sendErr
	}
	// A server may answer before it has read the whole request, and close: the answer counts.
	head := req.Header.IsHead()
	body, br, err := c.readAnswer(br, head)
	switch {
	case err != nil && sendErr == nil && c.woken.Load() && rawio.IsTimeout(c.readErr):
		return nil, &Unanswered{AnswerFailure(err), c, br, head}
	case err != nil:
		releaseReader(br)
	}
	switch {
	case err != nil && sendErr != nil:
		return nil, sendErr
	case err != nil:
		c.noteRefused()
	case sendErr != nil:
		body.persist = false
	}
	return body, err
}

// readAnswer reads the header of the answer from br. Where that fails, it can go on with the reader that it returns.
func (c *upstreamConn) readAnswer(br *bufio.Reader, head bool) (*Body, *bufio.Reader, error) {
	resp, lists, err := readHeader(br)
	if err != nil && isLarge(err) && br.Size() < c.owner.Upstream.MaxHeader {
		br = largerReader(br, c, c.owner.Upstream.MaxHeader)
		resp, lists, err = readHeader(br)
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	if err != nil {
		return nil, br, err
	}
	c.keep = keepAliveTime(fields.List(fields.PeekAllResponse(resp, "Keep-Alive")))
	body, err := newHTTPBody(c, resp, &lists, br, head)
	if err != nil {
		return nil, br, err
	}
	if body.from == nil { // else it holds the beginning of the body
		releaseReader(br)
	}
	return body, nil, nil
}

// isLarge reports that a header does not fit into its buffer.
func isLarge(err error) bool {
	var small *fasthttp.ErrSmallBuffer
	return errors.As(err, &small)
}

// keepAliveTime is how long a server keeps a connection without a request, from a field such as "timeout=5, max=100"; 0
// if it does not say.
func keepAliveTime(field string) time.Duration {
	for part := range strings.SplitSeq(field, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "timeout") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(value, ` "`), 10, 31)
		if err != nil {
			return 0
		}
		return max(time.Duration(seconds)*time.Second, 1) // 0 seconds is not "not said"
	}
	return 0
}

// maxInterim is how many interim responses may come before the real one.
const maxInterim = 16

// readHeader reads a response header and skips interim ones (100 Continue, 103 Early Hints).
func readHeader(br *bufio.Reader) (resp *fasthttp.ResponseHeader, lists http1.Lists, err error) {
	resp = fields.AcquireHeader()
	resp.SetNoDefaultContentType(true)
	for range maxInterim {
		if lists, err = checkHead(br); err != nil {
			return nil, lists, err
		}
		if err := resp.Read(br); err != nil {
			return nil, lists, err
		}
		if code := resp.StatusCode(); code >= 200 || code == fasthttp.StatusSwitchingProtocols {
			if lists.Coding != "" {
				resp.SetContentEncoding(lists.Coding)
			}
			return resp, lists, nil
		}
	}
	return nil, lists, errInterim
}

// checkHead checks the response header that br reads next, and leaves it there. One that does not arrive, or does not fit
// into br, is left to who reads it.
func checkHead(br *bufio.Reader) (lists http1.Lists, err error) {
	for n := 1; ; n = br.Buffered() + 1 {
		if read, _ := br.Peek(n); len(read) < n {
			return lists, nil
		}
		read, _ := br.Peek(br.Buffered())
		switch end, err := http1.EndOfResponseHead(read); {
		case err != nil:
			return lists, err
		case end >= 0:
			return http1.ParseResponseHead(read[:end])
		}
	}
}

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, commonHeader) }}

// commonHeader is what nearly every response header fits into, in bytes. Many streams may wait for theirs at once.
const commonHeader = 4 << 10

// acquireReader returns a buffered reader for a response header of that size at most.
func acquireReader(c net.Conn, size int) *bufio.Reader {
	if size < commonHeader {
		return bufio.NewReaderSize(c, size)
	}
	br := readers.Get().(*bufio.Reader)
	br.Reset(c)
	return br
}

func releaseReader(br *bufio.Reader) {
	br.Reset(nil)
	if br.Size() == commonHeader {
		readers.Put(br)
	}
}

// largerReader goes on where br stopped because a header does not fit into it. What does not fit into size is an error.
func largerReader(br *bufio.Reader, c net.Conn, size int) *bufio.Reader {
	read, _ := br.Peek(br.Buffered())
	return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(bytes.Clone(read)), c), size)
}

// AnswerFailure is what it means that no response header came.
func AnswerFailure(err error) *hub.Failure {
	var f *hub.Failure
	switch {
	case errors.As(err, &f):
		return f
	case rawio.IsTimeout(err):
		return hub.Fail(hub.CodeTimeout, networkFault(err))
	case isLost(err):
		return hub.Fail(hub.CodeReset, networkFault(err))
	}
	return hub.Fail(hub.CodeMalformed, errors.New(headerFault(err)))
}

// networkFault is what the network says, without what libraries add to it: the header that they were reading.
func networkFault(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op
	}
	for _, plain := range []error{io.ErrUnexpectedEOF, io.EOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, plain) {
			return plain
		}
	}
	return errors.New("timeout")
}

// headerFault says why a response header cannot be read. The library's own text repeats the header.
func headerFault(err error) string {
	switch {
	case isLarge(err):
		return "the header of the answer is larger than limits.header"
	case errors.Is(err, errInterim), errors.Is(err, http1.ErrBareLF):
		return err.Error()
	}
	return "the answer is no HTTP: its header cannot be read"
}

var errInterim = fmt.Errorf("the agent sent more than %d interim responses (1xx), and no answer behind them", maxInterim)
