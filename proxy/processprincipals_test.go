package proxy

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// facesOfSessions are clients of dialects without endpoints, which can talk to agents that keep the conversation.
var facesOfSessions = map[string]ownFace{
	"adk": {
		begin:  `POST  {"appName":"a","userId":"u","sessionId":"{thread}","newMessage":{"role":"user","parts":[{"text":"` + ownWord + `"}]},"streaming":true}`,
		names:  map[string]string{"thread": "thread-1001"},
		bodies: map[string][]string{"run": {`{"appName":"a","userId":"u","sessionId":"{thread}","newMessage":{"role":"user","parts":[{"text":"mine"}]},"streaming":true}`}},
	},
	"claude-cli": {
		begin:  `POST  {"type":"user","message":{"role":"user","content":"` + ownWord + `"},"session_id":"{thread}"}`,
		names:  map[string]string{"thread": "11111111-2222-4333-8444-555555555555"},
		bodies: map[string][]string{"run": {`{"type":"user","message":{"role":"user","content":"mine"},"session_id":"{thread}"}`}},
	},
	"copilot": {
		begin:  `POST  {"jsonrpc":"2.0","id":"a","method":"session.send","params":{"sessionId":"{thread}","prompt":"` + ownWord + `"}}`,
		names:  map[string]string{"thread": "thread-1001"},
		bodies: map[string][]string{"run": {`{"jsonrpc":"2.0","id":"a","method":"session.send","params":{"sessionId":"{thread}","prompt":"mine"}}`}},
	},
	"datastream": {
		begin:  `POST  {"id":"{thread}","messages":[{"role":"user","content":"` + ownWord + `"}]}`,
		names:  map[string]string{"thread": "thread-1001"},
		bodies: map[string][]string{"run": {`{"id":"{thread}","messages":[{"role":"user","content":"mine"}]}`}},
	},
}

// TestPrincipalsOfProcesses: a second principal neither reads, answers, goes on with nor ends the conversation of a process, and its question
// stays open for the first.
func TestPrincipalsOfProcesses(t *testing.T) {
	t.Parallel()
	faces := maps.Clone(facesOwn)
	maps.Copy(faces, facesOfSessions)
	for _, d := range adapters.All() {
		if d.NewEncoder == nil || d.Messages == nil || d.NewFace != nil || d.Name == "native" {
			continue
		}
		face, known := faces[d.Name]
		if !known {
			t.Errorf("the clients of %s are not covered", d.Name)
			continue
		}
		for _, s := range separations[:2] {
			for _, words := range []string{" delete", " slow"} {
				if words == " delete" && face.answer == "" {
					continue // they have no form for questions
				}
				t.Run(d.Name+"/"+s.name+"/"+words[1:], func(t *testing.T) {
					t.Parallel()
					x := &trial{ownFace: face, t: t, d: d, names: startNames("ask_1", "toolu_1"), asAlice: s.alice, asBob: s.bob, few: true}
					x.ownFace.begin = strings.ReplaceAll(face.begin, ownWord, ownWord+words)
					x.ownFace.answer = strings.ReplaceAll(face.answer, ownWord, ownWord+words)
					x.startProcess(s.top, s.route)
					x.begin(map[string]string{" delete": "asks", " slow": "running"}[words])
					x.tryAll()
					x.processGoesOn(words)
				})
			}
		}
	}
}

func (x *trial) startProcess(top, route string) {
	x.t.Helper()
	route = strings.ReplaceAll(strings.TrimSuffix(route, "\n"), "\n", ", ")
	if route != "" {
		route = ", " + route
	}
	yaml := agentConfig(x.t, x.d.Name, "", "", ", methods: [GET, POST, DELETE, PATCH], agent: {name: a, models: [m]}"+route)
	x.alice = start(x.t, top+strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	x.bob = x.alice
}

// processGoesOn lets alice answer the question of the process, or leave a turn that runs.
func (x *trial) processGoesOn(words string) {
	x.t.Helper()
	if words == " delete" {
		status, answer := x.ask(x.alice, x.asAlice, named(x.ownFace.answer, x.names))
		if status != http.StatusOK || !strings.Contains(answer, "allowed true") {
			x.t.Errorf("alice answers: status %d %s", status, answer)
		}
		return
	}
	if n := x.alice.metric("sabir_streams_open"); n == 0 {
		x.t.Error("alice's turn was ended")
	}
	if run := x.names["token"]; run != "" {
		_, path, _ := cutRequest(named(x.ownFace.begin, x.names))
		path, _, _ = strings.Cut(path, "?")
		x.alice.call(x.t, http.StatusNoContent, x.asAlice+"\r\nX-Sabir-Run: "+run, "DELETE", "/run"+path, "")
	}
}

// fewer are the first two requests of each operation that begins a turn: each begins a process.
func fewer(all []faceRequest) (few []faceRequest) {
	seen := map[hub.Operation]int{}
	for _, request := range all {
		if seen[request.op]++; !creates[request.op] || seen[request.op] <= 2 {
			few = append(few, request)
		}
	}
	return few
}
