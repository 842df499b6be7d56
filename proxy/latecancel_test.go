package proxy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// lateNamer is an agent that goes on when its client leaves, and that names its run late.
type lateNamer struct {
	*agent
	asked   chan struct{} // it has said what comes before
	goOn    chan struct{} // closed when it may say the rest
	gone    chan struct{} // the connection of the run is closed
	cancels chan string   // targets and bodies of requests that cancel
}

// newLateNamer makes one that says two parts of an answer to the request for a run, which holds a mark. An answer begins with its header.
func newLateNamer(t *testing.T, mark, before, after string) *lateNamer {
	n := &lateNamer{asked: make(chan struct{}, 1), goOn: make(chan struct{}), gone: make(chan struct{}, 1), cancels: make(chan string, 8)}
	n.agent = newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			if strings.Contains(string(p.body), mark) {
				p.send(before)
				n.asked <- struct{}{}
				n.speak(p, after)
				return
			}
			n.cancels <- req.RequestURI + " " + string(p.body)
			p.answer("200 OK", "Content-Length: 2")
			p.send("{}")
		}
	})
	return n
}

// speak says the rest of an answer, unless its connection is closed before.
func (n *lateNamer) speak(p *peer, after string) {
	gone := make(chan struct{})
	go func() { p.awaitGone(); close(gone) }()
	select {
	case <-n.goOn:
		p.send(after)
		<-gone
	case <-gone:
	}
	n.gone <- struct{}{}
}

func (n *lateNamer) awaitAsked(t testing.TB) {
	t.Helper()
	select {
	case <-n.asked:
	case <-time.After(testTimeout):
		t.Fatal("the agent is not asked for a run")
	}
}

// wantCancelled wants the run to be cancelled so once it has a name, and its connection to be open until then.
func (n *lateNamer) wantCancelled(t *testing.T, what, want string) {
	t.Helper()
	select {
	case <-n.gone:
		t.Errorf("%s: the connection is closed before the run has a name", what)
	default:
	}
	close(n.goOn)
	select {
	case got := <-n.cancels:
		if got = uuids.ReplaceAllString(got, "SESSION"); got != want {
			t.Errorf("%s: the agent gets %s\nwant %s", what, got, want)
		}
	case <-time.After(testTimeout):
		t.Fatalf("%s: the run is not cancelled", what)
	}
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// patient lets a server wait for names as long as a test may take.
func patient(r *rig) *rig {
	r.naming = testTimeout
	return r
}

// leaveRun asks for a run, and leaves once the agent has said what comes before.
func (n *lateNamer) leaveRun(r *rig, body string) {
	c := r.dial()
	c.ask("POST", "/run", body, "Content-Type: application/json")
	n.awaitAsked(r.t)
	c.reset()
	r.awaitEnds(1)
}

// leaveRunUncancelled is leaveRun where the connection is all that is closed.
func (n *lateNamer) leaveRunUncancelled(r *rig, body string) {
	r.t.Helper()
	n.leaveRun(r, body)
	<-n.gone
	r.closeAll()
	if sent := r.metric("sabir_cancel_requests_total"); sent != 0 {
		r.t.Errorf("%v requests to cancel are counted", sent)
	}
}

// closeAll is close, of all replicas: any may have the run.
func (r *rig) closeAll() {
	r.close()
	for _, other := range r.all {
		other.close()
	}
}

// wantCancelRequests wants one request that cancels a run to be counted, with that result.
func (r *rig) wantCancelRequests(what, result string) {
	r.t.Helper()
	r.closeAll() // such requests have ended
	if n, all := r.metric("sabir_cancel_requests_total", "upstream=agent", "result="+result), r.metric("sabir_cancel_requests_total"); n != 1 || all != 1 {
		r.t.Errorf("%s: %v requests of %v are %s", what, n, all, result)
	}
	if n := r.logs.FilterMessage("the upstream was not cancelled").Len(); n > 0 != (result != cancelSent) {
		r.t.Errorf("%s: the log says %d times that the upstream was not cancelled", what, n)
	}
}

const (
	streamHeader = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	aguiToA2A    = "client: agui\nrequests: {mode: translate}"
	a2aCancelT1  = `/stream {"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t1"}}`
)

// TestRunsThatAreNamedLate: a run whose client leaves before the agent has named it is cancelled once it has, wherever that was in the answer.
func TestRunsThatAreNamedLate(t *testing.T) {
	t.Parallel()
	whole := streamHeader + ": hm\n\n" + "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n" + a2aWorking
	for _, at := range []int{0, 10, len(streamHeader), len(streamHeader) + 6, len(whole) - len(a2aWorking), len(whole) - 20} {
		n := newLateNamer(t, `"message"`, whole[:at], whole[at:]+a2aSays)
		r := patient(start(t, a2aRoute(n.url(), "", aguiToA2A)))
		n.leaveRun(r, aguiHello)
		n.wantCancelled(t, whole[:at], a2aCancelT1)
		r.wantCancelRequests(whole[:at], cancelSent)
		<-n.gone
	}
}

// TestCompressedRunsThatAreNamedLate: so it is where the answer is compressed.
func TestCompressedRunsThatAreNamedLate(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(": hm\n\n"))
	_ = z.Flush()
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n"
	before := head + packed.String()
	_, _ = z.Write([]byte(a2aWorking))
	_ = z.Flush()
	whole := head + packed.String()
	for what, at := range map[string]int{"no header": 0, "a part": len(before)} {
		n := newLateNamer(t, `"message"`, whole[:at], whole[at:])
		r := patient(start(t, a2aRoute(n.url(), "", aguiToA2A)))
		c := r.dial()
		c.ask("POST", "/run", aguiHello, "Content-Type: application/json")
		n.awaitAsked(t)
		if at > 0 {
			await(t, "the answer", func() bool { return r.metric("sabir_upstream_responses_total", "status=200") == 1 })
		}
		c.reset()
		r.awaitEnds(1)
		n.wantCancelled(t, what, a2aCancelT1)
		r.wantCancelRequests(what, cancelSent)
	}
}

// TestHTTP2RunsThatAreNamedLate: so it is by HTTP/2, whose connection carries the request that cancels, too.
func TestHTTP2RunsThatAreNamedLate(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		asked, goOn, cancels := make(chan struct{}), make(chan struct{}), make(chan string, 1)
		url, _ := http2Agent(t, nil, func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			if !strings.Contains(string(body), `"message"`) {
				cancels <- string(body)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			if early {
				_ = http.NewResponseController(w).Flush()
			}
			asked <- struct{}{}
			<-goOn
			_, _ = io.WriteString(w, a2aWorking)
			_ = http.NewResponseController(w).Flush()
			<-req.Context().Done()
		})
		r := patient(start(t, a2aRoute("'"+url+"'", "http2: true", aguiToA2A)))
		c := r.dial()
		c.ask("POST", "/run", aguiHello, "Content-Type: application/json")
		<-asked
		c.reset()
		r.awaitEnds(1)
		close(goOn)
		if _, want, _ := strings.Cut(a2aCancelT1, " "); <-cancels != want {
			t.Errorf("header %t: another request than %s", early, want)
		}
		r.wantCancelRequests("HTTP/2", cancelSent)
	}
}

// TestRunsThatAreNeverNamed: the connection of such a run is closed after a while, or after so many bytes, and it counts as not cancelled.
func TestRunsThatAreNeverNamed(t *testing.T) {
	t.Parallel()
	f := func(what, up, before, after string) {
		t.Helper()
		n := newLateNamer(t, `"message"`, before, after)
		r := patient(start(t, a2aRoute(n.url(), up, aguiToA2A)))
		n.leaveRun(r, aguiHello)
		if after != "" {
			close(n.goOn)
		}
		<-n.gone
		r.wantCancelRequests(what, cancelUnnamed)
		if len(n.cancels) > 0 {
			t.Errorf("%s: the agent gets %s", what, <-n.cancels)
		}
	}
	f("no header", "timeouts: {first_byte: 300ms}", "", "")
	f("silence", "timeouts: {first_byte: 300ms}", streamHeader, "")
	const unnamed = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"
	f("many bytes", "", streamHeader, strings.Repeat(unnamed, 20*maxNamingBytes/len(unnamed)))
}

// TestRunsThatNeedNoCancel: nothing is sent, and nothing counts as not cancelled, where the agent has refused the run, or its answer is over.
func TestRunsThatNeedNoCancel(t *testing.T) {
	t.Parallel()
	for what, after := range map[string]string{
		"refused": "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}",
		"over":    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 3\r\n\r\n:\n\n",
		"ended":   streamHeader + a2aWorking + a2aDone,
		"failed":  streamHeader + "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"no\"}}\n\n",
	} {
		n := newLateNamer(t, `"message"`, "", after)
		r := patient(start(t, a2aRoute(n.url(), "", aguiToA2A)))
		n.leaveRun(r, aguiHello)
		close(n.goOn)
		r.closeAll()
		<-n.gone
		if sent := r.metric("sabir_cancel_requests_total"); sent != 0 || len(n.cancels) != 0 {
			t.Errorf("%s: %v requests to cancel are counted, %d sent", what, sent, len(n.cancels))
		}
	}
}

// TestRunsThatOutliveTheirClient before they have a name are not waited for.
func TestRunsThatOutliveTheirClient(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", streamHeader} {
		n := newLateNamer(t, `"message"`, before, "")
		r := patient(start(t, a2aRoute(n.url(), "options: {disconnect: continue}", aguiToA2A)))
		n.leaveRunUncancelled(r, aguiHello)
	}
}

// TestClientsThatLeaveAtOnce: whatever the agent has got by then, each run that it has got is cancelled.
func TestClientsThatLeaveAtOnce(t *testing.T) {
	t.Parallel()
	s := newA2AServer(t)
	r := patient(start(t, a2aRoute(s.url(), "", aguiToA2A)))
	const clients = 40
	for range clients {
		c := r.dial()
		c.ask("POST", "/run", aguiHello, "Content-Type: application/json")
		c.Close()
	}
	await(t, "all clients to be served", func() bool {
		return r.metric("sabir_streams_total", "ending=client_gone") == clients
	})
	r.closeAll()
	runs, cancels := strings.Count(s.all(), "SendStreamingMessage"), strings.Count(s.all(), "CancelTask")
	if sent := r.metric("sabir_cancel_requests_total", "result=sent"); cancels != runs || int(sent) != runs || sent != r.metric("sabir_cancel_requests_total") {
		t.Errorf("%d runs, %d cancelled; %v counted as sent of %v", runs, cancels, sent, r.metric("sabir_cancel_requests_total"))
	}
}

// TestDrainWithUnnamedRuns: a server that ends waits for names no longer than for its last requests, and cancels runs that it cuts.
func TestDrainWithUnnamedRuns(t *testing.T) {
	t.Parallel()
	never := newLateNamer(t, `"message"`, streamHeader, "")
	r := start(t, a2aRoute(never.url(), "", aguiToA2A))
	never.leaveRun(r, aguiHello)
	r.wantCancelRequests("left before the end", cancelUnnamed)
	<-never.gone

	late := newLateNamer(t, `"message"`, streamHeader, a2aWorking)
	r = patient(start(t, strings.Replace(a2aRoute(late.url(), "", aguiToA2A), "upstreams:", "timeouts: {drain: 20ms}\nupstreams:", 1)))
	c := r.dial()
	c.ask("POST", "/run", aguiHello, "Content-Type: application/json")
	late.awaitAsked(t)
	r.end()
	if _, got := c.whole(); !strings.Contains(got, "shutting_down") { // while its run has no name
		t.Errorf("the client gets %s", got)
	}
	late.wantCancelled(t, "cut", a2aCancelT1)
	r.wantCancelRequests("cut", cancelSent)
}

// TestStopBeforeTheName: a client that stops its run learns at once that it has ended, whether the agent has named it or not.
func TestStopBeforeTheName(t *testing.T) {
	t.Parallel()
	n := newLateNamer(t, `"message"`, streamHeader, a2aWorking)
	route := a2aRoute(n.url(), "options: {disconnect: continue}", "client: openai-responses\nresume: {grace: 1m}\nrequests: {mode: translate}")
	r := patient(start(t, strings.Replace(route, "path: /run", "path: /run/*", 1)))
	begun := r.call(t, 200, alice, "POST", "/run/responses", `{"model":"m","input":"hi","background":true}`, `"id":"`)
	_, id, _ := strings.Cut(begun, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	n.awaitAsked(t)
	r.call(t, 200, alice, "POST", "/run/responses/"+id+"/cancel", "", `"status":"cancelled"`)
	r.awaitEnds(1)
	n.wantCancelled(t, "stopped", a2aCancelT1)
	r.wantCancelRequests("stopped", cancelSent)
}

// TestGraphsThatAreNamedLate: the header of LangGraph's answer names the run. One without a thread ends with its connection, which is closed at once.
func TestGraphsThatAreNamedLate(t *testing.T) {
	t.Parallel()
	n := newLateNamer(t, `"assistant_id"`, "", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Location: /threads/x/runs/r-1\r\n\r\n")
	yaml := strings.NewReplacer("dialect: native", "dialect: langgraph", n.url(), strings.TrimSuffix(n.url(), "/stream")+"/v1").Replace(simple(n.url(), "", "", aguiToA2A))
	r := patient(start(t, yaml))
	n.leaveRun(r, aguiHello)
	n.wantCancelled(t, "langgraph", "/v1/threads/SESSION/runs/r-1/cancel ")
	r.wantCancelRequests("langgraph", cancelSent)

	n = newLateNamer(t, `"assistant_id"`, "", "")
	yaml = strings.NewReplacer("client: agui", "client: openai-chat", n.url(), strings.TrimSuffix(n.url(), "/stream")+"/v1").Replace(
		strings.Replace(simple(n.url(), "", "", aguiToA2A), "dialect: native", "dialect: langgraph", 1))
	r = patient(start(t, yaml))
	n.leaveRunUncancelled(r, chatRequest) // it has no thread
}

// TestBackgroundRunsThatAreNamedLate: the answer to the request that begins such a run names it, compressed or not.
func TestBackgroundRunsThatAreNamedLate(t *testing.T) {
	t.Parallel()
	const head, begun = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", `{"id":"v1_a","status":"in_progress"}`
	for coding, body := range map[string]string{"": begun, "Content-Encoding: gzip\r\n": gzipped(t, begun)} {
		whole := fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n%s", head, coding, len(body), body)
		for _, at := range []int{0, 20, len(whole) - len(body), len(whole) - 10} {
			n := newLateNamer(t, `"background":true`, whole[:at], whole[at:])
			r := patient(startBackground(t, n.agent))
			n.leaveRun(r, chatRequest)
			n.wantCancelled(t, whole[:at], "/v1beta/interactions/v1_a/cancel ")
			r.wantCancelRequests(whole[:at], cancelSent)
		}
	}
}
