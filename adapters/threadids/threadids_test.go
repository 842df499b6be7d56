package threadids

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

var agent = &hub.Dialect{Name: "agent"}

// asked is a request that shows messages of these ids.
func asked(messages ...string) *hub.Request {
	req := &hub.Request{Thread: []byte("t"), MessageIDs: new(hub.IDSet)}
	for _, id := range messages {
		req.MessageIDs.Add([]byte(id))
	}
	return req
}

// mapped is what becomes of events, in native notation. $ stands for the suffix.
func mapped(t *testing.T, m *Mapper, lines ...string) []string {
	t.Helper()
	dec := native.Dialect.NewDecoder(hub.Options{})
	var out []string
	for _, line := range lines {
		evs, err := dec.Decode(nil, record(line))
		if err != nil || len(evs) != 1 {
			t.Fatalf("%s: %v", line, err)
		}
		m.Map(&evs[0])
		got := string(native.Append(nil, &evs[0]))
		if m.on {
			got = strings.ReplaceAll(got, string(m.suffix), "$")
		}
		out = append(out, got)
	}
	return out
}

func check(t *testing.T, m *Mapper, pairs ...string) {
	t.Helper()
	var in []string
	for i := 0; i < len(pairs); i += 2 {
		in = append(in, pairs[i])
	}
	for i, got := range mapped(t, m, in...) {
		if want := pairs[2*i+1]; got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", pairs[2*i], got, want)
		}
	}
}

func record(line string) wire.Record { return wire.Record{Data: []byte(line)} }

// used is one mapper for all tests: what it knew of the stream before must not show.
var used Mapper

func started(from *hub.Dialect, req *hub.Request) *Mapper {
	used.Start(from, req, []byte("u"))
	return &used
}

// TestHidden: where the request shows no history, what is not unique by its looks gets the suffix of the run, wherever the
// stream names it.
func TestHidden(t *testing.T) {
	check(t, started(agent, nil),
		`{"kind":"run.start","id":"r1","ref":"t1"}`, `{"kind":"run.start","id":"r1","ref":"t1"}`,
		`{"kind":"step.start","id":"s1"}`, `{"kind":"step.start","id":"s1$"}`,
		`{"kind":"text.start","msg":"m1","id":"p_1"}`, `{"kind":"text.start","msg":"m1$","id":"p_1$"}`,
		`{"kind":"text.delta","msg":"m1","id":"p_1","text":"a"}`, `{"kind":"text.delta","msg":"m1$","id":"p_1$","text":"a"}`,
		`{"kind":"source","id":"c1","ref":"p_1"}`, `{"kind":"source","id":"c1$","ref":"p_1$"}`,
		`{"kind":"text.end","msg":"m1","id":"p_1"}`, `{"kind":"text.end","msg":"m1$","id":"p_1$"}`,
		`{"kind":"text.start","msg":"m2","id":"m2"}`, `{"kind":"text.start","msg":"m2$","id":"m2$"}`,
		`{"kind":"text.end","msg":"m2","id":"m2"}`, `{"kind":"text.end","msg":"m2$","id":"m2$"}`,
		`{"kind":"tool.start","msg":"3f2b8c1e-9d4a-4f6b-8e21-0a1b2c3d4e5f","id":"call_0","name":"n"}`,
		`{"kind":"tool.start","msg":"3f2b8c1e-9d4a-4f6b-8e21-0a1b2c3d4e5f","id":"call_0$","name":"n"}`,
		`{"kind":"tool.args","id":"call_0","text":"{}"}`, `{"kind":"tool.args","id":"call_0$","text":"{}"}`,
		`{"kind":"ask","id":"q1","ref":"call_0"}`, `{"kind":"ask","id":"q1","ref":"call_0$"}`,
		`{"kind":"ask","id":"sabir_ask_1"}`, `{"kind":"ask","id":"sabir_ask_1$"}`,
		`{"kind":"answer","status":"chosen","id":"sabir_ask_1"}`, `{"kind":"answer","status":"chosen","id":"sabir_ask_1$"}`,
		`{"kind":"agent.start","id":"call_0","ref":"call_0","name":"n"}`, `{"kind":"agent.start","id":"call_0$","ref":"call_0$","name":"n"}`,
		`{"kind":"text.delta","lane":"call_0","id":"p_2","text":"a"}`, `{"kind":"text.delta","lane":"call_0$","id":"p_2","text":"a"}`,
		`{"kind":"tool.end","status":"ok","id":"call_0","name":"n"}`, `{"kind":"tool.end","status":"ok","id":"call_0$","name":"n"}`,
		`{"kind":"usage","scope":"step","ref":"s1"}`, `{"kind":"usage","scope":"step","ref":"s1$"}`,
		`{"kind":"tool.start","flags":["client_runs"],"id":"t9","name":"n"}`, `{"kind":"tool.start","flags":["client_runs"],"id":"t9","name":"n"}`,
	)
}

// TestShown: where it shows its history, only an id that comes again gets a suffix, unless it goes on with what it names.
func TestShown(t *testing.T) {
	const again = "3f2b8c1e-9d4a-4f6b-8e21-0a1b2c3d4e5f"
	req := asked(again, "a1")
	req.Run = []byte("a1")
	check(t, started(agent, req),
		`{"kind":"text.start","msg":"`+again+`","id":"p_1"}`, `{"kind":"text.start","msg":"`+again+`$","id":"p_1"}`,
		`{"kind":"text.delta","msg":"`+again+`","id":"p_1","text":"a"}`, `{"kind":"text.delta","msg":"`+again+`$","id":"p_1","text":"a"}`,
		`{"kind":"text.start","msg":"2`+again[1:]+`","id":"p_2"}`, `{"kind":"text.start","msg":"2`+again[1:]+`","id":"p_2"}`,
		`{"kind":"text.start","msg":"m2","id":"m2"}`, `{"kind":"text.start","msg":"m2$","id":"m2$"}`,
		`{"kind":"text.start","msg":"a1","id":"p_3"}`, `{"kind":"text.start","msg":"a1","id":"p_3"}`,
		`{"kind":"step.start","id":"s1"}`, `{"kind":"step.start","id":"s1$"}`,
	)
	check(t, started(agent, asked("u1", "m1")),
		`{"kind":"text.start","flags":["user"],"msg":"u1","id":"u1"}`, `{"kind":"text.start","flags":["user"],"msg":"u1","id":"u1"}`,
		`{"kind":"text.start","flags":["replayed"],"msg":"m1","id":"m1"}`, `{"kind":"text.start","flags":["replayed"],"msg":"m1","id":"m1"}`,
	)
}

// TestShownCalls: of calls that the history shows, those without a result go on; a new call never has the id of another.
func TestShownCalls(t *testing.T) {
	req := asked()
	req.History.Known = true
	for _, id := range []string{"done", "open"} {
		req.History.Add(hub.PastCall{ID: []byte(id), Name: []byte("n")})
	}
	req.History.Answer([]byte("done"))
	check(t, started(agent, req),
		`{"kind":"tool.start","flags":["client_runs"],"id":"done","name":"n"}`, `{"kind":"tool.start","flags":["client_runs"],"id":"done$","name":"n"}`,
		`{"kind":"tool.args","id":"done","text":"{}"}`, `{"kind":"tool.args","id":"done$","text":"{}"}`,
		`{"kind":"tool.start","id":"open","name":"n"}`, `{"kind":"tool.start","id":"open","name":"n"}`,
		`{"kind":"tool.start","id":"t1","name":"n"}`, `{"kind":"tool.start","id":"t1","name":"n"}`,
	)
	check(t, started(agent, req),
		`{"kind":"tool.start","flags":["resumed"],"id":"done","name":"n"}`, `{"kind":"tool.start","flags":["resumed"],"id":"done","name":"n"}`,
		`{"kind":"tool.end","status":"ok","id":"done","name":"n"}`, `{"kind":"tool.end","status":"ok","id":"done","name":"n"}`,
	)
}

// TestServerIDs: what the server compares stays.
func TestServerIDs(t *testing.T) {
	server := &hub.Dialect{ServerIDs: true}
	for _, req := range []*hub.Request{nil, asked("m1")} {
		check(t, started(server, req),
			`{"kind":"text.start","msg":"m1","id":"m1"}`, `{"kind":"text.start","msg":"m1","id":"m1"}`,
			`{"kind":"tool.start","id":"t1","name":"n"}`, `{"kind":"tool.start","id":"t1","name":"n"}`,
			`{"kind":"ask","id":"sabir_ask_1"}`, `{"kind":"ask","id":"sabir_ask_1$"}`,
		)
	}
}

// TestSuffix: the same request gives the same, the next turn another.
func TestSuffix(t *testing.T) {
	f := func(req *hub.Request, unique string) string {
		m := new(Mapper)
		m.Start(agent, req, []byte(unique))
		return string(m.suffix)
	}
	if f(asked("a"), "1") != f(asked("a"), "2") {
		t.Error("the same request gives another suffix")
	}
	if f(asked("a"), "1") == f(asked("a", "b"), "1") || f(nil, "1") == f(nil, "2") {
		t.Error("two turns have one suffix")
	}
	if m := new(Mapper); mapped(t, m, `{"kind":"step.start","id":"s1"}`)[0] != `{"kind":"step.start","id":"s1"}` {
		t.Error("a mapper that was not started changes ids")
	}
}

// TestDeltasAllocateNothing, whether ids are changed or not.
func TestDeltasAllocateNothing(t *testing.T) {
	for _, req := range []*hub.Request{nil, asked()} {
		m := started(agent, req)
		start := hub.Event{Kind: hub.TextStart, ID: []byte("p1"), Msg: []byte("m1")}
		m.Map(&start)
		id, msg := []byte("p1"), []byte("m1")
		var ev hub.Event
		n := testing.AllocsPerRun(100, func() {
			ev = hub.Event{Kind: hub.TextDelta, ID: id, Msg: msg, Text: id}
			m.Map(&ev)
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// TestBranches: in a branch of a conversation all messages name it, by their own ids and by those that the proxy makes, but for one that goes on.
func TestBranches(t *testing.T) {
	branch := Branch([]byte("call-1"))
	req := asked("m0")
	req.Branch, req.Run = branch, []byte("m9")
	var m Mapper
	m.Start(agent, req, []byte("x"))
	check(t, &m,
		`{"kind":"text.start","msg":"0192d8a4-7c3b-7f00-8a12-3b5c7d9e1f20","id":"0192d8a4-7c3b-7f00-8a12-3b5c7d9e1f20"}`,
		`{"kind":"text.start","msg":"0192d8a4-7c3b-7f00-8a12-3b5c7d9e1f20$","id":"0192d8a4-7c3b-7f00-8a12-3b5c7d9e1f20$"}`,
		`{"kind":"text.start","msg":"m9","id":"t1"}`, `{"kind":"text.start","msg":"m9","id":"t1$"}`,
	)
	for id, want := range map[string]string{
		"m1" + string(m.suffix): string(branch), string(InBranch([]byte("msg_1"), branch)): string(branch), branchMark + string(branch): string(branch),
		string(branch): "", "m1": "", "": "", "m1" + branchMark + string(branch[1:]): "", "m1" + branchMark + string(branch) + "x": "",
	} {
		if got := BranchOf([]byte(id)); string(got) != want {
			t.Errorf("%s is of branch %q, want %q", id, got, want)
		}
	}
	if string(Branch([]byte("call-2"))) == string(branch) || len(branch) != branchLength {
		t.Errorf("branch %s", branch)
	}
}

// TestQuestionsThatNameCalls: an id is taken apart as it was put together; any other one stays as it is.
func TestQuestionsThatNameCalls(t *testing.T) {
	t.Parallel()
	if ask, call := CutCall(WithCall([]byte("q"), []byte("c~call-1"))); string(ask) != "q" || string(call) != "c~call-1" {
		t.Errorf("%s, %s", ask, call)
	}
	for _, id := range []string{"", "q", "~call-c", "q~call-"} {
		if ask, call := CutCall([]byte(id)); string(ask) != id || call != nil {
			t.Errorf("%q is %q about %q", id, ask, call)
		}
	}
	if got := WithCall([]byte("q~call-c"), []byte("d")); string(got) != "q~call-c" {
		t.Errorf("what names a call becomes %s", got)
	}
}
