package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// countsJoins fails the test unless so many clients came to runs, by how: "opens start".
func (r *rig) countsJoins(want string) {
	r.t.Helper()
	all := strings.Fields(want)
	await(r.t, want+" to be counted", func() bool { return r.metric("sabir_resume_joins_total") >= float64(len(all)) })
	for _, how := range all {
		if n := r.metric("sabir_resume_joins_total", "how="+how); n != 1 {
			r.t.Errorf("%v come with %s", n, how)
		}
	}
	if n := r.metric("sabir_resume_joins_total"); n != float64(len(all)) {
		r.t.Errorf("%v joins are counted, want %s", n, want)
	}
}

// TestJoinsAreCounted: who comes to a run is counted by how it comes, and who is kept from it by what keeps it.
func TestJoinsAreCounted(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := resuming(t, a, "openai-responses", "grace: 1m, viewers: 1")
	id := idIn(t, r.call(t, 200, alice, "POST", "/run/responses", later))
	r.isAt(t, id, "in_progress")
	reader := r.dial()
	reader.ask("GET", "/run/responses/"+id+"?stream=true", "", alice)
	firstHalf(t, reader.response())
	r.call(t, 503, alice, "GET", "/run/responses/"+id+"?stream=true", "", "too_many_streams")
	r.call(t, 404, alice+"\r\nX-Sabir-Run: none", "GET", "/run", "", "run_unknown")
	r.countsJoins("opens start too_many_streams run_unknown")
	close(goOn)
	r.isAt(t, id, "completed")
}

// TestJoinsWithoutStore: so are those who are kept from a run because the store is away.
func TestJoinsWithoutStore(t *testing.T) {
	t.Parallel()
	line := newCable(t, redisAddress(t))
	route := "client: aisdk\nrequests: {mode: translate}\nresume: {grace: 1m}\n"
	text := simple(newAgent(t, streaming(smallRun)).url(), storeYAML(line.Addr().String(), ", prefix: \""+newToken()+":\""), "", route)
	r := start(t, strings.Replace(text, "path: /run", "path: /run/*", 1))
	chat := r.dialWS("/run", alice)
	line.set(true)
	r.call(t, http.StatusServiceUnavailable, alice, "GET", "/run/chat-1/stream", "", "store_unavailable")
	r.countsJoins("store_unavailable")
	chat.say(resumes("one", "chat-1"))
	if got := chat.answers("one")["one"]; !strings.HasPrefix(got, "|error") {
		t.Errorf("the chat is answered by %q", got)
	}
	if n := r.metric("sabir_resume_joins_total", "how=store_unavailable"); n != 2 {
		t.Errorf("%v of two are counted", n)
	}
}
