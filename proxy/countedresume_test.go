package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// countingClient is one of a dialect whose clients count the records of a run themselves, and come back by their number.
type countingClient struct {
	dialect, begin, body string
	back                 func(had int) (method, path string)
	boundary, gone       string // where what was said before ends, and a run that is not there; "": there is no record for that
	ends                 int    // so many bytes stand behind the bracket that ends a record
	stop, stopBody       string
}

var countingClients = []countingClient{
	{
		dialect: "simplified", begin: "/run", body: `{"message":{"messageId":"m1","chatId":"c1","content":"hi"},"history":[],"files":[]}`,
		back: func(had int) (string, string) {
			return "GET", fmt.Sprintf("/run/runs/m1/stream?from=%d&chatId=c1", had+1)
		},
		boundary: `{"type":"replay_complete"}` + "\n", gone: `{"type":"gone"}` + "\n", ends: 1, stop: "/run/cancel", stopBody: `{"messageId":"m1"}`,
	},
	{
		dialect: "pydantic", begin: "/run/c1/message/?session_id=s1", body: "content=hi",
		back: func(had int) (string, string) { return "POST", fmt.Sprintf("/run/c1/resume/s1?cursor=0-%d", had) },
		stop: "/run/c1/stop/?session_id=s1",
	},
}

// readSome reads a stream until something was said.
func readSome(t *testing.T, resp *http.Response, word string) (had string) {
	t.Helper()
	for p := make([]byte, 4096); !strings.Contains(had, word); {
		n, err := resp.Body.Read(p)
		if had += string(p[:n]); err != nil {
			t.Fatalf("%v behind %q", err, had)
		}
	}
	return had
}

// records are the records of a stream whose records begin with a bracket.
func (c *countingClient) records(stream string) (all []string) {
	for depth, from, i := 0, 0, 0; i < len(stream); i++ {
		switch stream[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				end := i + 1 + c.ends
				all, from = append(all, stream[from:end]), end
			}
		}
	}
	return all
}

// TestResumeByCount: clients that count come back to their run at another replica, at every position, while it goes on and when it has
// ended; strangers learn nothing.
func TestResumeByCount(t *testing.T) {
	t.Parallel()
	for _, c := range countingClients {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			a, goOn, _ := gatedAgent(t)
			address := redisAddress(t)
			one, two := replica(t, a, c.dialect, "grace: 1m", address), replica(t, a, c.dialect, "grace: 1m", address)
			first := one.dial()
			first.ask("POST", c.begin, c.body, alice)
			resp := first.response()
			run, had := resp.Header.Get(runHeader), readSome(t, resp, "Hello")
			first.reset()
			two.awaitRun(t, run)
			method, path := c.back(len(c.records(had)))
			live := two.dial()
			live.ask(method, path, "", alice)
			back := live.response()
			began := ""
			if c.boundary != "" {
				began = readSome(t, back, "complete")
			}
			close(goOn)
			rest, err := io.ReadAll(back.Body)
			if got := began + string(rest); err != nil || back.StatusCode != 200 || !strings.HasPrefix(got, c.boundary) || !strings.Contains(got, "world") || strings.Contains(got, "Hello") {
				t.Fatalf("%v, status %d: behind %d records comes %s", err, back.StatusCode, len(c.records(had)), got)
			}
			whole := had + strings.TrimPrefix(began+string(rest), c.boundary)
			for _, r := range []*rig{one, two} {
				c.testPositions(t, r, whole)
			}
			if n := a.connections(); n != 1 {
				t.Errorf("the agent was asked %d times", n)
			}
		})
	}
}

// testPositions comes to a run that has ended at every position, and as a stranger.
func (c *countingClient) testPositions(t *testing.T, r *rig, whole string) {
	t.Helper()
	records := c.records(whole)
	for n := range len(records) + 1 {
		method, path := c.back(n)
		if got, want := r.call(t, 200, alice, method, path, ""), strings.Join(records[n:], "")+c.boundary; got != want {
			t.Errorf("behind %d records:\n%s\nwant\n%s", n, got, want)
		}
	}
	method, path := c.back(0)
	unknown := strings.NewReplacer("m1", "m9", "s1", "s9").Replace(path)
	status := 404
	if c.gone != "" {
		status = 200
	}
	mine, others := r.call(t, status, bob, method, path, ""), r.call(t, status, bob, method, unknown, "")
	if mine != others || c.gone != "" && mine != c.gone {
		t.Errorf("a stranger gets %s, and who asks for nothing %s", mine, others)
	}
}

// TestStopByCount: clients that count end their run at any replica, and a second end finds nothing.
func TestStopByCount(t *testing.T) {
	t.Parallel()
	for _, c := range countingClients {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			a, _, gone := gatedAgent(t)
			address := redisAddress(t)
			one, two := replica(t, a, c.dialect, "grace: 1m", address), replica(t, a, c.dialect, "grace: 1m", address)
			first := one.dial()
			first.ask("POST", c.begin, c.body, alice)
			resp := first.response()
			run := resp.Header.Get(runHeader)
			readSome(t, resp, "Hello")
			two.awaitRun(t, run)
			two.call(t, 404, bob, "POST", c.stop, c.stopBody)
			if got := two.call(t, 200, alice, "POST", c.stop, c.stopBody); !strings.Contains(got, "success") {
				t.Errorf("a stop is answered by %s", got)
			}
			<-gone
			if _, err := io.ReadAll(resp.Body); err != nil {
				t.Errorf("the stream ends with %v", err)
			}
			one.awaitEnds(1)
			again := one.dial()
			again.ask("POST", c.stop, c.stopBody, alice)
			if resp, got := again.whole(); resp.StatusCode < 400 {
				t.Errorf("a second stop is answered by %s", got)
			}
		})
	}
}

// TestConversationOfSessions: clients of seed 001 begin a conversation, read it, and find its session.
func TestConversationOfSessions(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := resuming(t, a, "pydantic", "grace: 1m")
	made := r.call(t, 200, alice, "POST", "/run/", `{"title":"t"}`, `"conversation_id":"`)
	_, id, _ := strings.Cut(made, `"conversation_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	r.call(t, 404, alice, "GET", "/run/"+id+"/active-session", "", "No active session")
	first := r.dial()
	first.ask("POST", "/run/"+id+"/message/", "content=hi", alice)
	readSome(t, first.response(), "Hello")
	first.reset()
	session := r.call(t, 200, alice, "GET", "/run/"+id+"/active-session", "", `"status":"active"`, `"cursor":"0-0"`)
	_, name, _ := strings.Cut(session, `"sessionId":"`)
	name, _, _ = strings.Cut(name, `"`)
	back := r.dial()
	back.ask("POST", "/run/"+id+"/resume/"+name+"?cursor=0-0", "", alice)
	resp := back.response()
	close(goOn)
	if all, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(all), "Hello") || !strings.Contains(string(all), "world") {
		t.Errorf("%v: %s", err, all)
	}
	r.awaitEnds(1)
	r.call(t, 200, alice, "GET", "/run/"+id+"/task-status", "", `"status":"completed"`)
	r.call(t, 200, alice, "GET", "/run/"+id+"/messages/", "", `"content":"hi","type":"HUMAN"`, `"type":"AI_GENERATED"`)
	r.call(t, 404, bob, "GET", "/run/"+id+"/messages/", "")
	r.call(t, 404, bob, "GET", "/run/"+id+"/active-session", "")
}
