package hub

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// codec writes how much room it was given, and reads what it is.
type codec struct {
	Messenger
	partial bool
	err     error
}

func (c codec) DecodeRequest(req *Request, body []byte) error {
	req.Partial = c.partial && req.Header("any") == ""
	return c.err
}

func (c codec) AppendRequest(dst []byte, req *Request, l *Losses) ([]byte, error) {
	l.AddIf("no message", len(req.Messages) != 1)
	return fmt.Appendf(dst, "%d %s %s", cap(dst)-len(dst), req.Thread, req.Messages[0].Parts[0].Text), c.err
}

func (codec) DecodeMessages(dst []Message, _ rawjson.Value) ([]Message, error) { return dst, nil }

// TestRequestWriter: whoever writes whole conversations has room for them, and the others are asked as they are.
func TestRequestWriter(t *testing.T) {
	req := Hello()
	req.Body, req.Thread = make([]byte, 80_000), []byte("t")
	f := func(d Dialect, least int) {
		t.Helper()
		body, err := d.RequestWriter()([]byte("> "), req, new(Losses))
		room, rest := 0, ""
		if n, scanErr := fmt.Sscanf(string(body), "> %d %s", &room, &rest); n != 2 || err != nil || rest != "t" {
			t.Fatalf("%q, %v, %v", body, err, scanErr)
		}
		if room < least || least == 0 && room > 1000 {
			t.Errorf("there is room for %d bytes, want %d", room, least)
		}
	}
	f(Dialect{Messages: codec{}, Requests: codec{}}, 91_000)
	f(Dialect{Stateless: true, WriteRequest: codec{}.AppendRequest}, 91_000)
	f(Dialect{WriteRequest: codec{}.AppendRequest}, 0)
	if (&Dialect{Requests: codec{}}).RequestWriter() != nil {
		t.Error("a dialect without messages writes requests")
	}
}

// TestHello: a conversation is named only where clients say what is new in one.
func TestHello(t *testing.T) {
	f := func(d Dialect, want string) {
		t.Helper()
		got := string(d.Hello())
		if _, said, ok := strings.Cut(got, " "); ok {
			got = said
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(Dialect{}, "")
	f(Dialect{Messages: codec{}, Requests: codec{}}, " Hello")
	f(Dialect{Messages: codec{}, Requests: codec{partial: true}}, "thread-1 Hello")
	f(Dialect{Messages: codec{}, Requests: codec{partial: true, err: errors.New("no")}}, "")
	f(Dialect{WriteRequest: codec{}.AppendRequest, Requests: codec{partial: true}}, " Hello")
	if d := (Dialect{Messages: codec{}, Requests: codec{partial: true, err: errors.New("no")}}); d.SaysNews(nil) {
		t.Error("a body that cannot be read says what is new")
	}
	if m := Hello().Messages; len(m) != 1 || m[0].Role != RoleUser || m[0].Parts[0].Kind != PartText {
		t.Errorf("%+v", m)
	}
}

// TestUsualRoute: a route ends with /* where clients call more than one URL below it.
func TestUsualRoute(t *testing.T) {
	run := []Endpoint{{"POST", "/{agent}/run", OpRun}, {"POST", "", OpRun}, {"POST", "/whole", OpWhole}, {"POST", "/stream", OpRun}, {"POST", "/late", OpRun}}
	envelope := func([]byte) (Operation, map[string]string, []byte, bool) { return OpRun, nil, nil, true }
	f := func(d Dialect, route, below string) {
		t.Helper()
		d.Name = "demo"
		if got := d.UsualRoute(); got != route {
			t.Errorf("route %q, want %q", got, route)
		}
		if got := d.RunBelow(); got != below {
			t.Errorf("run below %q, want %q", got, below)
		}
	}
	f(Dialect{}, "/demo", "")
	f(Dialect{Endpoints: run}, "/demo/*", "/stream")
	f(Dialect{Endpoints: run[:3]}, "/demo/*", "")
	f(Dialect{Endpoints: run, Envelope: envelope}, "/demo/*", "")
	f(Dialect{Endpoints: run, RoutePath: "/v1/*"}, "/v1/*", "/stream")
	d := Dialect{Endpoints: run}
	if !d.Serves(OpWhole) || d.Serves(OpModels) {
		t.Error("it serves something else than its endpoints")
	}
}

// TestOperations: each operation has a name of its own.
func TestOperations(t *testing.T) {
	var names []string
	for op := range operationCount {
		names = append(names, op.String())
	}
	slices.Sort(names)
	if got := slices.Compact(slices.Clone(names)); len(got) != int(operationCount) || slices.Contains(got, "") || slices.Contains(got, "invalid") {
		t.Errorf("%q", names)
	}
	if OpAlive.String() != "alive" || OpJoinRun.String() != "join_run" || OpItems.String() != "items" {
		t.Errorf("%s, %s, %s", OpAlive, OpJoinRun, OpItems)
	}
}

// TestCapNames: each ability has its name.
func TestCapNames(t *testing.T) {
	all := CapSubAgents | CapLinear | CapReplace | CapExecutedTools | CapClientTools | CapReasoning | CapAsks | CapPlan | CapUsage | CapLate | CapSealCalls
	if got := all.Names(); !slices.Equal(got, capNames[:]) {
		t.Errorf("got %q", got)
	}
	for i, one := range []Caps{CapSubAgents, CapLinear, CapReplace, CapExecutedTools, CapClientTools, CapReasoning, CapAsks, CapPlan, CapUsage, CapLate, CapSealCalls} {
		if got := one.Names(); !slices.Equal(got, capNames[i:i+1]) {
			t.Errorf("%d: got %q", i, got)
		}
	}
}

// TestFlags: what clients name cannot be taken for an option.
func TestFlags(t *testing.T) {
	f := func(s Session, want ...string) {
		t.Helper()
		if got := s.Flags("--resume"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(Session{})
	f(Session{ID: []byte(`-a\"b`)}, `--resume=-a"b`)
	f(Session{Model: []byte(`m`)}, "--model=m")
	f(Session{ID: []byte("s"), Model: []byte(`m\\1`)}, "--resume=s", `--model=m\1`)
}
