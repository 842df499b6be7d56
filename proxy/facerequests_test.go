package proxy

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fasthttp/websocket"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// faceRequest is a request that bob makes.
type faceRequest struct {
	text string
	op   hub.Operation
}

// requests are those of all endpoints and methods of the dialect: those that may make what they name last. One without a body in the table
// fails the test.
func (x *trial) requests() (all []faceRequest) {
	x.t.Helper()
	endpoints := x.d.Endpoints
	if len(endpoints) == 0 && x.bodies != nil {
		endpoints = []hub.Endpoint{{Method: "POST"}}
	}
	for _, e := range endpoints {
		if e.Operation == hub.OpRun && e.Method == "GET" {
			continue // the handshake of a WebSocket
		}
		for _, body := range x.bodiesOf(e) {
			all = append(all, faceRequest{e.Method + " " + e.Path + " " + body, e.Operation})
		}
	}
	for _, method := range x.d.Methods {
		bodies := x.bodies[method]
		if bodies == nil && x.method != "" {
			bodies = []string{strings.Replace(x.method, "{method}", method, 1)}
		}
		if bodies == nil {
			x.t.Errorf("the method %s of %s is not covered", method, x.d.Name)
		}
		for _, body := range bodies {
			op, _, _, _ := x.d.Envelope([]byte(body))
			all = append(all, faceRequest{"POST  " + body, op})
		}
	}
	for _, request := range x.also {
		all = append(all, faceRequest{request, hub.OpAnswer})
	}
	if x.few {
		all = fewer(all)
	}
	slices.SortStableFunc(all, func(a, b faceRequest) int { return rank(a.op) - rank(b.op) })
	return all
}

func rank(op hub.Operation) int {
	if creates[op] {
		return 1
	}
	return 0
}

// bodiesOf are the bodies of requests for an endpoint.
func (x *trial) bodiesOf(e hub.Endpoint) []string {
	x.t.Helper()
	for _, name := range []string{e.Method + " " + e.Path, e.Operation.String()} {
		if bodies := x.bodies[name]; bodies != nil && e.Method != "GET" && e.Method != "DELETE" {
			return bodies
		}
	}
	if e.Method != "GET" && e.Method != "DELETE" {
		x.t.Errorf("%s %s (%s) of %s is not covered", e.Method, e.Path, e.Operation, x.d.Name)
	}
	return []string{""}
}

// resumes lets bob come to the run, and end it, in the ways that all clients have.
func (x *trial) resumes() {
	x.t.Helper()
	if x.names["token"] == "" {
		return
	}
	_, path, body := cutRequest(named(x.ownFace.begin, x.names))
	path, _, _ = strings.Cut(path, "?")
	for _, method := range []string{"GET", "POST", "DELETE"} {
		for _, how := range []string{"X-Sabir-Run: {token}", "Last-Event-ID: {token}-1", "Last-Event-ID: {token}-0", "?last_event_id={token}-1"} {
			var answers [2]string
			for i, names := range []map[string]string{x.names, x.others} {
				query, field, _ := strings.Cut(named(how, names), "?")
				header := []string{x.asBob, query}
				place := "/run" + path
				if field != "" {
					place, header = place+"?"+field, header[:1]
				}
				c := x.bob.dial()
				_ = c.SetDeadline(time.Now().Add(testTimeout))
				c.ask(method, place, body, header...)
				resp, answer := c.whole()
				answers[i] = fmt.Sprint(resp.StatusCode, " ", answer)
				if resp.StatusCode != http.StatusNotFound {
					x.t.Errorf("bob gets status %d for %s by %s", resp.StatusCode, method, how)
				}
			}
			x.compare(method+" "+how, answers[0], answers[1])
		}
	}
}

// socket lets bob say by WebSocket what he may say in the body of a run, where clients of the dialect come so.
func (x *trial) socket() {
	x.t.Helper()
	for _, e := range x.d.Endpoints {
		if e.Operation != hub.OpRun || e.Method != "GET" {
			continue
		}
		for _, body := range x.bodies["run"] {
			x.compare("WebSocket "+e.Path+" "+body, x.bySocket(e.Path, named(body, x.names)), x.bySocket(e.Path, named(body, x.others)))
		}
	}
}

// bySocket is the first message that answers one of bob's.
func (x *trial) bySocket(path, body string) string {
	c := x.bob.dialWS("/run"+path, x.asBob)
	c.say(strings.Replace(body, "{", `{"type":"response.create",`, 1))
	got := c.hear()
	goodbye(c.Conn, websocket.CloseNormalClosure)
	return got
}

// goesOnWell lets alice read the rest, or answer, and go on with what she has.
func (x *trial) goesOnWell(moment string) {
	x.t.Helper()
	x.goOn()
	if moment == "running" {
		rest, err := io.ReadAll(x.stream.Body)
		if err != nil || !strings.Contains(x.had+string(rest), "world") {
			x.t.Errorf("alice's stream ends with %v: %s%s", err, x.had, rest)
		}
	}
	request := x.goesOn
	if moment == "asks" {
		if request = x.ownFace.answer; request == "" {
			return
		}
	}
	status, answer := x.ask(x.alice, x.asAlice, named(request, x.names))
	if status != http.StatusOK || !strings.Contains(answer, "Hello") {
		x.t.Errorf("alice goes on: status %d %s", status, answer)
	}
}
