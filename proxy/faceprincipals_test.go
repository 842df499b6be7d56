package proxy

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// ownFace is what clients of a dialect begin and say. Requests are "METHOD path body", with {thread}, {run}, {answer}, {ask} and {call} for
// what they name.
type ownFace struct {
	before string              // a request in front of the first turn
	begin  string              // the first turn, as a stream
	names  map[string]string   // what it makes, by parameter: the name, or an expression that finds it in the answers
	bodies map[string][]string // of requests, by the endpoint, its operation, or the method that the body names
	method string              // the body for all other methods
	reads  []string            // by which a client sees what it has
	also   []string            // requests beside the endpoints
	goesOn string              // the next turn
	answer string              // the answer to a question; "" where clients have no form for one
	none   string              // the stream of a run that is not there
}

// ownWord is what alice says, and no other principal may get.
const ownWord = "alicesword"

// trial is a conversation of alice's, and bob who knows all of its names.
type trial struct {
	ownFace
	t          *testing.T
	d          *hub.Dialect
	alice, bob *rig // the replica that each asks
	asAlice    string
	asBob      string
	agent      *agent

	names  map[string]string
	others map[string]string // names of nothing, that look alike
	stream *http.Response    // of alice's turn
	had    string            // what she has of it
	goOn   func()            // lets it end
	mayEnd chan struct{}

	mu    sync.Mutex
	leaks []string // what the agent received for bob
	asked bool     // alice has begun
	bobs  bool
	few   bool // each turn of bob's is expensive
}

// separations are ways in which principals are separated, and what routes may have besides.
var separations = []struct{ name, top, route, alice, bob string }{
	{"header", "", "", alice, bob},
	{"keys and resume", keysYAML(), "auth: [keys]\nresume: {grace: 1m}\n", asAlice, asBob},
	{"replicas", "store", "resume: {grace: 1m}\n", alice, bob},
}

// moments are how far alice's turn is while bob tries.
var moments = []string{"ended", "running", "asks"}

// TestPrincipalsOnAllFaces: whatever endpoint or method a dialect has, a second principal that knows every name gets what it gets for names of
// nothing, the agent receives nothing of the first's, and that goes on unharmed.
func TestPrincipalsOnAllFaces(t *testing.T) {
	t.Parallel()
	for _, d := range adapters.All() {
		face, known := facesOwn[d.Name]
		switch {
		case d.NewEncoder == nil || d.NewFace != nil || d.Name == "native":
			continue // no clients, or those of TestPrincipalsOfEditors; what is native is copied here
		case !known && len(d.Endpoints)+len(d.Methods) > 0:
			t.Errorf("the clients of %s are not covered", d.Name)
			continue
		case !known: // they name nothing but a run
			face = ownFace{begin: `POST  {"prompt":"` + ownWord + `"}`, goesOn: "POST  {}"}
		}
		for _, s := range separations {
			if !known && s.name != "keys and resume" {
				continue
			}
			for _, moment := range moments {
				t.Run(d.Name+"/"+s.name+"/"+moment, func(t *testing.T) {
					t.Parallel()
					x := newTrial(t, d, face, moment)
					x.asAlice, x.asBob = s.alice, s.bob
					x.start(s.top, s.route)
					x.begin(moment)
					x.tryAll()
					x.goesOnWell(moment)
				})
			}
		}
	}
}

func newTrial(t *testing.T, d *hub.Dialect, face ownFace, moment string) *trial {
	x := &trial{ownFace: face, t: t, d: d, mayEnd: make(chan struct{}), names: startNames("q1", "c1")}
	x.agent = newAgent(t, func(p *peer) {
		for p.request() != nil {
			x.reply(p, moment)
		}
	})
	x.goOn = sync.OnceFunc(func() { close(x.mayEnd) })
	t.Cleanup(x.goOn)
	return x
}

// startNames are names that do not come from answers.
func startNames(ask, call string) map[string]string {
	return map[string]string{"ask": ask, "call": call, "agent": "a", "model": "m", "config": "n1"}
}

// reply answers a request for a run: the first one of alice's as the moment wants it.
func (x *trial) reply(p *peer, moment string) {
	x.mu.Lock()
	first := !x.asked
	if x.asked = true; x.bobs && strings.Contains(string(p.body), ownWord) {
		x.leaks = append(x.leaks, string(p.body))
	}
	x.mu.Unlock()
	p.ok("Content-Type: application/x-ndjson")
	switch {
	case !first:
		p.finish(smallRun)
	case moment == "running":
		p.chunk(lines(lineStart, lineHello))
		<-x.mayEnd
		p.finish(lines(lineWorld, lineEnd))
	case moment == "asks":
		p.finish(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"drop"}`, `{"kind":"tool.ready","id":"c1","name":"drop","value":{}}`,
			`{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}`, `{"kind":"run.end","status":"paused"}`))
	default:
		p.finish(smallRun)
	}
}

// start runs one proxy, or two replicas.
func (x *trial) start(top, route string) {
	x.t.Helper()
	if top == "store" {
		top = storeYAML(redisAddress(x.t), fmt.Sprintf(", prefix: \"%s:%s:\"", x.d.Name, newToken()))
	}
	mode := "translate"
	if len(x.d.Endpoints) == 0 {
		mode, top = "pass", top+"timeouts: {keepalive: 300ms}\n" // then the answer begins, though nothing can be said of it
	}
	yaml := strings.Replace(simple(x.agent.url(), top, "", "client: "+x.d.Name+"\n"+route+
		"methods: [GET, POST, DELETE, PATCH]\nagent: {name: a, models: [m]}\nrequests: {mode: "+mode+"}"), "path: /run", "path: /run/*", 1)
	x.alice = start(x.t, yaml)
	x.bob = x.alice
	if strings.HasPrefix(top, "store") {
		x.bob = start(x.t, yaml)
	}
}

// begin lets alice begin, and finds out how all is called.
func (x *trial) begin(moment string) {
	x.t.Helper()
	made := ""
	x.find(made)
	if x.before != "" {
		_, made = x.ask(x.alice, x.asAlice, x.before)
		x.find(made)
	}
	method, path, body := cutRequest(named(x.ownFace.begin, x.names))
	c := x.alice.dial()
	c.ask(method, "/run"+path, body, x.asAlice)
	x.stream = c.response()
	switch {
	case moment == "running" && len(x.ownFace.names) > 0:
		x.had = halfUntil(x.t, x.stream, map[bool]string{false: "Hello", true: "waiting"}[x.few])
	case moment != "running":
		all, err := io.ReadAll(x.stream.Body)
		if err != nil {
			x.t.Fatal(err)
		}
		x.had = string(all)
	}
	if x.stream.StatusCode != http.StatusOK {
		x.t.Fatalf("alice cannot begin: %s %s", x.stream.Status, x.had)
	}
	x.find(made + x.had)
	for name := range x.ownFace.names {
		if x.names[name] == "" {
			x.t.Fatalf("no %s is in %s", name, x.had)
		}
	}
	x.names["token"] = x.stream.Header.Get(runHeader)
	x.others = map[string]string{}
	for name, value := range x.names {
		x.others[name] = value
		if name != "agent" && name != "model" {
			x.others[name] = strings.Map(anotherDigit, value)
		}
	}
}

// anotherDigit makes another name of one.
func anotherDigit(r rune) rune {
	if r >= '0' && r <= '8' {
		return r + 1
	}
	return r
}

// find finds the names of what was made in an answer.
func (x *trial) find(answer string) {
	for name, how := range x.ownFace.names {
		if !strings.Contains(how, "(") {
			x.names[name] = how
		} else if m := regexp.MustCompile(how).FindStringSubmatch(answer); m != nil {
			x.names[name] = m[1]
		}
	}
}

// named puts names into a request.
func named(request string, names map[string]string) string {
	for name, value := range names {
		request = strings.ReplaceAll(request, "{"+name+"}", value)
	}
	return request
}

func cutRequest(request string) (method, path, body string) {
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ = strings.Cut(rest, " ")
	return method, path, body
}

// ask makes a request and returns its status and answer.
func (x *trial) ask(r *rig, who, request string) (status int, answer string) {
	x.t.Helper()
	method, path, body := cutRequest(request)
	c := r.dial()
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(testTimeout)) // alice's stream goes on
	c.ask(method, "/run"+path, body, who)
	resp, answer := c.whole()
	return resp.StatusCode, answer
}

// tryAll lets bob ask for everything that his dialect has, by alice's names and by names of nothing.
func (x *trial) tryAll() {
	x.t.Helper()
	before := x.read()
	x.set(true)
	for _, request := range x.requests() {
		x.try(request.text, request.op)
	}
	x.resumes()
	x.socket()
	x.set(false)
	if after := x.read(); !slices.Equal(before, after) {
		x.t.Errorf("what alice has is changed: it was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// set says who asks the agent, and looks what it has received.
func (x *trial) set(bobs bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bobs = bobs; len(x.leaks) > 0 {
		x.t.Errorf("for bob, the agent received %s", x.leaks)
	}
}

// read is what alice sees of hers.
func (x *trial) read() (all []string) {
	x.t.Helper()
	for _, request := range x.reads {
		status, answer := x.ask(x.alice, x.asAlice, named(request, x.names))
		if status != http.StatusOK || strings.Contains(answer, `"error":{"code"`) {
			x.t.Errorf("alice asks for hers by %s: status %d %s", request, status, answer)
		}
		all = append(all, otherEachTime.ReplaceAllString(answer, "…"))
	}
	return all
}

// try lets bob make a request by both names.
func (x *trial) try(request string, op hub.Operation) {
	x.t.Helper()
	status, answer := x.ask(x.bob, x.asBob, named(request, x.names))
	other, unknown := x.ask(x.bob, x.asBob, named(request, x.others))
	if op == hub.OpCommand {
		x.settle(x.names)
		x.settle(x.others)
	}
	x.compare(request, fmt.Sprint(status, " ", answer), fmt.Sprint(other, " ", unknown))
	_, path, _ := cutRequest(request)
	names := strings.Contains(path, "{thread}") || strings.Contains(path, "{run}") || strings.Contains(path, "{answer}")
	if names && !creates[op] && status < 400 && answer != x.none {
		x.t.Errorf("bob gets an answer to %s: %d %s", request, status, answer)
	}
}

// settle waits for the run that a command of bob's has begun.
func (x *trial) settle(names map[string]string) {
	x.t.Helper()
	await(x.t, "the run of a command ends", func() bool {
		_, thread := x.ask(x.bob, x.asBob, named("GET /threads/{thread} ", names))
		return !strings.Contains(thread, `"status":"busy"`)
	})
}

// compare fails the test if bob gets another answer for alice's names than for names of nothing, or her words.
func (x *trial) compare(request, mine, unknown string) {
	x.t.Helper()
	if got, want := plainAnswer(mine, x.names), plainAnswer(unknown, x.others); got != want {
		x.t.Errorf("bob gets for %s\n%s\nand for what is unknown\n%s", request, got, want)
	}
	if strings.Contains(mine, ownWord) {
		x.t.Errorf("bob gets alice's words for %s: %s", request, mine)
	}
}

var otherEachTime = regexp.MustCompile(`[A-Za-z_]*[0-9A-Fa-f-]{14,}[0-9a-zA-Z_-]*|\d{4}-\d\d-\d\dT[0-9:.+Z]*|\d{6,}(\.\d+)?|[0-9a-z]{8}-p\d|-[0-9a-z]{10}\b`)

// plainAnswer is an answer without names, and without what is another one each time.
func plainAnswer(answer string, names map[string]string) string {
	for _, name := range []string{"token", "answer", "run", "thread", "ask"} {
		if value := names[name]; value != "" {
			answer = strings.ReplaceAll(answer, value, "{"+name+"}")
		}
	}
	return otherEachTime.ReplaceAllString(answer, "…")
}
