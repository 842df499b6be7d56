package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

const later = `{"model":"m","background":true,"input":"hi"}`

// laterReplicas are two replicas for clients of the Responses API, or one twice where there is no store.
func laterReplicas(t *testing.T, a *agent, stored bool) (one, two *rig) {
	t.Helper()
	if !stored {
		one = resuming(t, a, "openai-responses", "grace: 50ms")
		return one, one
	}
	address := redisAddress(t)
	return replica(t, a, "openai-responses", "grace: 50ms", address), replica(t, a, "openai-responses", "grace: 50ms", address)
}

// isAt waits until an answer has a status, and returns it.
func (r *rig) isAt(t *testing.T, id, status string) (got string) {
	t.Helper()
	await(t, "the status "+status, func() bool {
		got = r.call(t, 200, alice, "GET", "/run/responses/"+id, "", `"background":true`)
		return strings.Contains(got, `"status":"`+status+`"`)
	})
	return got
}

// TestLater: a client that does not wait for its answer has its name at once. At any replica it learns how far that is, and reads what
// has been said; the run goes on without a reader.
func TestLater(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]bool{"memory": false, "replicas": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, goOn, _ := gatedAgent(t)
			one, two := laterReplicas(t, a, stored)
			queued := one.call(t, 200, alice, "POST", "/run/responses", later, `"status":"queued"`, `"background":true`, `"output":[]`)
			id := idIn(t, queued)
			two.isAt(t, id, "in_progress")
			two.call(t, 404, bob, "GET", "/run/responses/"+id, "")
			two.call(t, 404, bob, "GET", "/run/responses/"+id+"?stream=true", "")
			reader := two.dial()
			reader.ask("GET", "/run/responses/"+id+"?stream=true", "", alice)
			resp := reader.response()
			had := firstHalf(t, resp)
			reader.reset()
			other := two.dial()
			other.ask("GET", "/run/responses/"+id+"?stream=true&starting_after=1", "", alice)
			live := other.response()
			firstHalf(t, live)
			other.reset() // no reader is left, for longer than grace
			await(t, "both to be gone", func() bool { return two.logs.FilterMessage("run read").Len() == 2 })
			close(goOn)
			two.isAt(t, id, "completed")
			two.call(t, 200, alice, "GET", "/run/responses/"+id, "", `"text":"Hello, world"`)
			whole := two.call(t, 200, alice, "GET", "/run/responses/"+id+"?stream=true", "", "response.completed")
			if rest := strings.TrimPrefix(whole, had); rest == whole || !strings.Contains(rest, "world") {
				t.Errorf("the whole is\n%s\nwhere a client had\n%s", whole, had)
			}
			two.call(t, 200, alice, "POST", "/run/responses/"+id+"/cancel", "", `"status":"completed"`)
			if n := a.connections(); n != 1 {
				t.Errorf("the agent was asked %d times", n)
			}
		})
	}
}

// TestLaterStreamed: a client that reads may leave, too.
func TestLaterStreamed(t *testing.T) {
	t.Parallel()
	a, goOn, gone := gatedAgent(t)
	r := resuming(t, a, "openai-responses", "grace: 10ms")
	c := r.dial()
	c.ask("POST", "/run/responses", strings.Replace(later, `{`, `{"stream":true,`, 1), alice)
	had := firstHalf(t, c.response())
	c.reset()
	await(t, "the client to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
	close(goOn)
	_, id, _ := strings.Cut(had, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	r.isAt(t, id, "completed")
	select {
	case <-gone:
		t.Error("the agent was stopped")
	default:
	}
}

// TestLaterCancelled: who cancels learns so, and whoever asks later, at any replica; who reads the stream sees that it has an end.
func TestLaterCancelled(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]bool{"memory": false, "replicas": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, _, gone := gatedAgent(t)
			one, two := laterReplicas(t, a, stored)
			id := idIn(t, one.call(t, 200, alice, "POST", "/run/responses", later))
			reader := two.dial()
			reader.ask("GET", "/run/responses/"+id+"?stream=true", "", alice)
			resp := reader.response()
			firstHalf(t, resp)
			two.call(t, 404, bob, "POST", "/run/responses/"+id+"/cancel", "")
			two.call(t, 200, alice, "POST", "/run/responses/"+id+"/cancel", "", `"status":"cancelled"`)
			<-gone
			if rest, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(rest), "event: response.failed") {
				t.Errorf("%v, the stream ends with %s", err, rest)
			}
			got := two.isAt(t, id, "cancelled")
			if !strings.Contains(got, `"text":"Hello"`) || !strings.Contains(got, `"error":null`) {
				t.Errorf("it was cancelled: %s", got)
			}
			two.call(t, 200, alice, "POST", "/run/responses/"+id+"/cancel", "", `"status":"cancelled"`, `"text":"Hello"`)
		})
	}
}

// TestLaterFails: an agent that refuses has no client that waits. The answer says it.
func TestLaterFails(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		if p.request() != nil {
			_, _ = io.WriteString(p, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
		}
	})
	r := resuming(t, a, "openai-responses", "grace: 1m")
	id := idIn(t, r.call(t, 200, alice, "POST", "/run/responses", later, `"status":"queued"`))
	if got := r.isAt(t, id, "failed"); !strings.Contains(got, `"error":{"code":"`) {
		t.Errorf("it has failed: %s", got)
	}
	r.call(t, 200, alice, "GET", "/run/responses/"+id+"?stream=true", "", "event: response.failed")
}

// TestLaterRefused: a client that could not ask later learns so at once. One that repeats its request gets the name of the same answer.
func TestLaterRefused(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	close(goOn)
	r := resuming(t, a, "openai-responses", "grace: 1m")
	r.call(t, 400, alice, "POST", "/run/responses", strings.Replace(later, "{", `{"store":false,`, 1), "background")
	key := alice + "\r\nIdempotency-Key: k"
	first := r.call(t, 200, key, "POST", "/run/responses", later, "queued")
	again := r.dial()
	again.ask("POST", "/run/responses", later, key)
	resp, got := again.whole()
	if idIn(t, got) != idIn(t, first) || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("status %d: %s", resp.StatusCode, got)
	}
}
