package proxy

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// commandOf is a command of the thread protocol of LangGraph.
func commandOf(method, params string) string {
	return `{"id":7,"method":"` + method + `","params":` + params + `}`
}

// everyEvent asks for all that a conversation has to say.
const everyEvent = `{"channels":["lifecycle","messages","values","input","tools","custom"]}`

// events opens the events of a thread.
func (r *rig) events(t *testing.T, who, thread, body string) *http.Response {
	t.Helper()
	c := r.dial()
	t.Cleanup(func() { c.Close() })
	c.ask("POST", "/run/threads/"+thread+"/stream/events", body, who)
	resp := c.response()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	return resp
}

// eventsUntil reads events up to the one that has a word in it, and nothing behind it.
func eventsUntil(t *testing.T, resp *http.Response, word string) string {
	t.Helper()
	var all []byte
	var b [1]byte
	for record, found := 0, false; !found; {
		if _, err := io.ReadFull(resp.Body, b[:]); err != nil {
			t.Fatalf("%v behind %q", err, all)
		}
		if all = append(all, b[0]); bytes.HasSuffix(all[record:], []byte("\n\n")) {
			found = bytes.Contains(all[record:], []byte(word))
			record = len(all)
		}
	}
	return string(all)
}

var eventNumber = regexp.MustCompile(`"event_id":"[^"]*-(\d+)","seq":(\d+)`)

// TestCommands: a turn is begun by a command, and read by streams that are opened when it may be over. They stay for the next turn.
func TestCommands(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "langgraph")
	accepted := r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")),
		`{"type":"success","id":7,"result":{"run_id":"`, `"thread_id":"t1"`)
	all, few := r.events(t, alice, "t1", everyEvent), r.events(t, alice, "t1", `{"channels":["lifecycle"]}`)
	ended := `"event":"completed"`
	got := eventsUntil(t, all, ended)
	for _, want := range []string{
		`"data":{"event":"running","graph_name":"agent"}}`, `"data":{"messages":[{"type":"human","id":"u-one","content":"one"}]}}`,
		`"data":{"event":"message-start","role":"ai","id":"`, `"delta":{"type":"text-delta","text":"Hello"}`,
		`"data":{"event":"content-block-finish","index":0,"content":{"type":"text","text":"Hello, world"}}}`, `"content":"Hello, world"}]}}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	_, run, _ := strings.Cut(accepted, `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	if got := eventsUntil(t, few, ended); strings.Contains(got, "messages") || !strings.Contains(got, `"event_id":"synth:`+run+`:lc||running"`) {
		t.Errorf("of the lifecycle alone: %s", got)
	}
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("two")))
	next := eventsUntil(t, all, ended)
	if !strings.Contains(next, `"content":"one"`) || !strings.Contains(next, `"content":"two"`) {
		t.Errorf("the second turn: %s", next)
	}
	eventsUntil(t, few, ended)
	last := ""
	for _, m := range eventNumber.FindAllStringSubmatch(got+next, -1) {
		if m[1] != m[2] || m[2] <= last {
			t.Errorf("event %s follows %s", m[0], last)
		}
		last = m[2]
	}
}

// TestCommandsAtOnce: the events of a run have larger numbers than those of the run before, also where both began at the same time.
func TestCommandsAtOnce(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zapcore.InfoLevel)
	yaml := simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: langgraph\nrequests: {mode: translate}")
	r := startOne(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1), zap.New(core), logs)
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	all := r.events(t, alice, "t1", everyEvent)
	eventsUntil(t, all, `"event":"completed"`)
	way, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	var h fasthttp.RequestHeader
	field, value, _ := strings.Cut(alice, ": ")
	h.Set(field, value)
	first := r.kept.shared.Find(eventlog.Key{Scope: way.scope(&h, nil), Kind: byThread, Name: "t1"})
	first.About.asked.Time += 3_600_000 // the second one does not begin later by its clock
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("two")))
	numbers := eventNumber.FindAllStringSubmatch(eventsUntil(t, all, `"event":"completed"`), -1)
	for _, m := range numbers {
		if n, err := strconv.ParseInt(m[2], 10, 64); err != nil || n/4096 <= first.About.asked.Time {
			t.Errorf("event %s belongs to the time of the run before, %d", m[0], first.About.asked.Time)
		}
	}
	if len(numbers) == 0 {
		t.Error("no event has a number")
	}
}

// TestCommandsRefused: what cannot begin is said in the form of commands.
func TestCommandsRefused(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "langgraph")
	r.call(t, 404, alice, "POST", "/run/threads/t1/commands", commandOf("state.fork", "{}"), `{"type":"error","id":7,"error":"unknown_command","message":"`)
	r.call(t, 400, alice, "POST", "/run/threads/t1/commands", commandOf("input.respond", `{"interrupt_id":"q","response":true}`), `{"type":"error","id":7,"error":"`)
	r.call(t, 400, alice, "POST", "/run/threads/t1/commands", "[", `{"type":"error","id":null,"error":"`)
	if agent.connections() != 0 {
		t.Error("the agent is asked")
	}
	r.call(t, 404, alice, "POST", "/run/threads/t1/stream/events", everyEvent)
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	r.call(t, 404, bob, "POST", "/run/threads/t1/stream/events", everyEvent)
	r.call(t, 400, alice, "POST", "/run/threads/t1/stream/events", "{}", "channels")
	r.call(t, 400, alice, "GET", "/run/threads/t1/stream/events", "", `"code":"unsupported"`)
}

// TestCommandFails: a run that fails before its first word is an event, and the stream goes on.
func TestCommandFails(t *testing.T) {
	t.Parallel()
	fails := true
	agent := newAgent(t, func(p *peer) {
		for p.request() != nil {
			if fails {
				p.send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
				fails = false
				continue
			}
			p.ok("Content-Type: application/x-ndjson")
			p.finish(smallRun)
		}
	})
	r := below(t, agent, "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
	stream := r.events(t, alice, "t1", everyEvent)
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	eventsUntil(t, stream, `"data":{"event":"failed","graph_name":"agent","error":"`)
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("two")))
	eventsUntil(t, stream, `"event":"completed"`)
}

// TestCommandSupersedes: a turn that goes on is ended by the next one where the client says so, and refuses it otherwise.
func TestCommandSupersedes(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 2)
	agent := newAgent(t, func(p *peer) {
		if p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			p.awaitGone()
			gone <- struct{}{}
		}
	})
	r := below(t, agent, "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	stream := r.events(t, alice, "t1", everyEvent)
	eventsUntil(t, stream, `"event":"running"`)
	r.call(t, 409, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("two")), `"error":"session_busy"`)
	next := strings.Replace(said("two"), "{", `{"multitask_strategy":"interrupt",`, 1)
	got := r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", next))
	eventsUntil(t, stream, `"event":"interrupted"`)
	<-gone
	eventsUntil(t, stream, `"event":"running"`)
	_, run, _ := strings.Cut(got, `"run_id":"`)
	run, _, _ = strings.Cut(run, `"`)
	r.call(t, 200, alice, "POST", "/run/threads/t1/runs/"+run+"/cancel", "")
	eventsUntil(t, stream, `"event":"interrupted"`)
	<-gone
}

// TestCommandUnread: a run without a reader goes on, and its state is there.
func TestCommandUnread(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, streaming(smallRun))
	r := below(t, agent, "langgraph")
	r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
	await(t, "the answer stands in the state", func() bool {
		return strings.Contains(r.call(t, 200, alice, "GET", "/run/threads/t1/state", ""), "Hello, world")
	})
}

// TestCommandStates: the states of a turn have what was said before it, and by the user for it, also where the agent keeps the conversation,
// whoever has made the thread.
func TestCommandStates(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{false, true} {
		r := start(t, strings.Replace(agentConfig(t, "langgraph", t.TempDir(), "", ", methods: [GET, POST]"), "path: /run", "path: /run/*", 1))
		if made {
			r.call(t, 200, alice, "POST", "/run/threads", `{"thread_id":"t1"}`)
		}
		r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("one")))
		stream := r.events(t, alice, "t1", `{"channels":["lifecycle","values"]}`)
		first := eventsUntil(t, stream, `"event":"completed"`)
		r.call(t, 200, alice, "POST", "/run/threads/t1/commands", commandOf("run.start", said("two")))
		second := eventsUntil(t, stream, `"event":"completed"`)
		for i, state := range []string{first, second} {
			last := state[strings.LastIndex(state, `{"messages":[`):]
			for _, text := range []string{"one", "two"}[:i+1] {
				if !strings.Contains(last, `"content":"`+text+`"`) || !strings.Contains(last, "you said "+text) {
					t.Errorf("made %t, turn %d: no %s in %s", made, i+1, text, last)
				}
			}
		}
	}
}
