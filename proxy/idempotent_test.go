package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

const repeated = alice + "\r\nIdempotency-Key: k1"

// TestIdempotency: a request that comes again with its key gets the run of the first one from its beginning, while it goes on and when it
// has ended. Another client, and another key, get a run of their own; another request with the key is refused.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	for _, c := range resumeClients {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			a, goOn, _ := gatedAgent(t)
			r := resuming(t, a, c.dialect, "grace: 1m")
			first := r.dial()
			first.ask("POST", c.path, c.body, repeated)
			resp := first.response()
			had := firstHalf(t, resp)
			first.reset()
			again := r.dial()
			again.ask("POST", c.path, c.body, repeated)
			live := again.response()
			close(goOn)
			whole := rest(t, live)
			if !strings.HasPrefix(whole, had) || !strings.Contains(whole, "world") || live.Header.Get(runHeader) != resp.Header.Get(runHeader) {
				t.Errorf("the same request gets\n%s\nwhere the first had\n%s", whole, had)
			}
			if late := r.call(t, 200, repeated, "POST", c.path, c.body); late != whole {
				t.Errorf("when the run has ended, the same request gets\n%s\nnot\n%s", late, whole)
			}
			if n := a.connections(); n != 1 {
				t.Errorf("the agent was asked %d times", n)
			}
			r.call(t, 422, repeated, "POST", c.path, strings.Replace(c.body, "hi", "other", 1))
		})
	}
}

// TestIdempotencyApart: keys are those of one client, and where they are off, or not usable, each request is a run.
func TestIdempotencyApart(t *testing.T) {
	t.Parallel()
	body := resumeClients[0].body
	for _, c := range []struct {
		name, resume, first, second string
		runs                        int
	}{
		{"the same", "grace: 1m", repeated, repeated, 1},
		{"another client", "grace: 1m", repeated, bob + "\r\nIdempotency-Key: k1", 2},
		{"another key", "grace: 1m", repeated, alice + "\r\nIdempotency-Key: k2", 2},
		{"no key", "grace: 1m", alice, alice, 2},
		{"a key that is too long", "grace: 1m", alice + "\r\nIdempotency-Key: " + strings.Repeat("x", 256), alice + "\r\nIdempotency-Key: " + strings.Repeat("x", 256), 2},
		{"off", "grace: 1m, idempotency: false", repeated, repeated, 2},
		{"forgotten", "grace: 1m, ttl: 300ms", repeated, repeated, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, streaming(smallRun))
			r := resuming(t, a, "agui", c.resume)
			r.call(t, 200, c.first, "POST", "/run", body, "RUN_FINISHED")
			if c.name == "forgotten" {
				await(t, "the run to be forgotten", func() bool { return r.metric("sabir_resume_runs") == 0 })
			}
			r.call(t, 200, c.second, "POST", "/run", body, "RUN_FINISHED")
			runs := func() int { return r.logs.FilterMessage("stream ended").Len() }
			await(t, "the last run to be logged", func() bool { return runs() >= c.runs })
			if n := runs(); n != c.runs {
				t.Errorf("there were %d runs", n)
			}
		})
	}
}

// TestIdempotencyAtOnce: of requests that come at the same time, at any of two replicas, one begins the run, and all get it.
func TestIdempotencyAtOnce(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprint(shared), func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, streaming(smallRun))
			var at []*rig
			if shared {
				at = append(at, make([]*rig, 2)...)
				address := redisAddress(t)
				at[0], at[1] = replica(t, a, "agui", "grace: 1m", address), replica(t, a, "agui", "grace: 1m", address)
			} else {
				at = append(at, resuming(t, a, "agui", "grace: 1m"))
			}
			runs, group := sync.Map{}, sync.WaitGroup{}
			for i := range 12 {
				group.Go(func() {
					c := at[i%len(at)].dial()
					c.ask("POST", "/run", resumeClients[0].body, repeated)
					resp := c.response()
					body, err := io.ReadAll(resp.Body)
					if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "RUN_FINISHED") {
						t.Errorf("status %d, %v: %s", resp.StatusCode, err, body)
					}
					runs.Store(resp.Header.Get(runHeader), true)
				})
			}
			group.Wait()
			n := 0
			runs.Range(func(any, any) bool { n++; return true })
			if n != 1 || a.connections() != 1 {
				t.Errorf("%d runs, and the agent was asked %d times", n, a.connections())
			}
		})
	}
}

// TestIdempotencySlowStore: a request that another one keeps waiting is refused after a time, and not after a number of questions to the store,
// which may be slow.
func TestIdempotencySlowStore(t *testing.T) {
	t.Parallel()
	a, address := newAgent(t, streaming(smallRun)), redisAddress(t)
	line := newCable(t, address)
	one, two := replica(t, a, "agui", "grace: 1m", address), replica(t, a, "agui", "grace: 1m", line.Addr().String())
	if mine, err := one.replicas.store.Claim(nameOf(keyOfRepeated(one)), "another", time.Hour); !mine || err != nil {
		t.Fatalf("the claim is taken: %t, %v", mine, err)
	}
	line.slow(":name:", claimWait/20)
	two.call(t, 409, repeated, "POST", "/run", resumeClients[0].body, `"code":"session_busy"`)
	if n := line.held(); n > 25 {
		t.Errorf("the store was asked %d times", n)
	}
	if n := a.connections(); n != 0 {
		t.Errorf("the agent was asked %d times", n)
	}
}

// TestIdempotencyAfterRefusal: a request that began no run does not stand in the way of the same one.
func TestIdempotencyAfterRefusal(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := resuming(t, a, "agui", "grace: 1m")
	r.call(t, 400, repeated, "POST", "/run", "no JSON")
	r.call(t, 200, repeated, "POST", "/run", resumeClients[0].body, "RUN_FINISHED") // a claim would be waited for for claimWait, and then refused
	r.kept.claims.mu.Lock()
	defer r.kept.claims.mu.Unlock()
	if n := len(r.kept.claims.byKey); n != 0 {
		t.Errorf("%d claims are left", n)
	}
}

// TestIdempotencyAfterRefusalElsewhere: nor at another replica.
func TestIdempotencyAfterRefusalElsewhere(t *testing.T) {
	t.Parallel()
	one, two := twoReplicas(t, newAgent(t, streaming(smallRun)), "1m")
	one.call(t, 400, repeated, "POST", "/run", "no JSON")
	two.call(t, 200, repeated, "POST", "/run", resumeClients[0].body, "RUN_FINISHED")
}

// TestClaimsAreGivenBack: a request that begins no run gives its claim back among replicas too; one that begins one keeps it there.
func TestClaimsAreGivenBack(t *testing.T) {
	t.Parallel()
	claims := new(repeatClaims)
	for _, begun := range []bool{false, true} {
		c := claims.take(eventlog.Key{Name: "k"}, "body")
		if c == nil || claims.take(eventlog.Key{Name: "k"}, "body") != nil {
			t.Fatalf("begun %t: the claim is %v", begun, c)
		}
		back := false
		c.shared = func() { back = true }
		if c.release(begun); back == begun {
			t.Errorf("begun %t: given back among replicas %t", begun, back)
		}
	}
}

// keyOfRepeated is the name of the run of a request with the header fields of [repeated].
func keyOfRepeated(r *rig) eventlog.Key {
	way, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	var req fasthttp.RequestCtx
	req.Request.Header.SetMethod("POST")
	req.Request.Header.Set("Authorization", strings.TrimPrefix(alice, "Authorization: "))
	req.Request.Header.Set("Idempotency-Key", "k1")
	return way.repeatKey(&req, &subpath{})
}

// TestIdempotencyWaits: a request whose key another one looks at waits for that: it begins the run when the other gives up, reads the run that
// there is, and is refused when neither comes.
func TestIdempotencyWaits(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := resuming(t, a, "agui", "grace: 1m")
	body := resumeClients[0].body
	hold := func() *repeatClaim {
		t.Helper()
		c := r.kept.claims.take(keyOfRepeated(r), "")
		if c == nil {
			t.Fatal("there is a claim")
		}
		return c
	}
	held := hold()
	refused := r.dial()
	refused.ask("POST", "/run", body, repeated)
	if resp, got := refused.whole(); resp.StatusCode != 409 || resp.Header.Get("Retry-After") != "1" || resp.Header.Get("X-Sabir-Error") != "session_busy" {
		t.Errorf("%s, %v: %s", resp.Status, resp.Header, got)
	}
	if n := a.connections(); n != 0 {
		t.Errorf("the agent was asked %d times", n)
	}
	waits := r.dial()
	waits.ask("POST", "/run", body, repeated)
	time.Sleep(3 * claimLook) // that it waits is likely by now, and not needed
	held.release(false)
	first, whole := waits.whole()
	if first.StatusCode != 200 || !strings.Contains(whole, "RUN_FINISHED") {
		t.Errorf("when the other has given up: %s %s", first.Status, whole)
	}
	defer hold().release(false)
	if again := r.call(t, 200, repeated, "POST", "/run", body); again != whole {
		t.Errorf("the run that there is comes as\n%s\nnot\n%s", again, whole)
	}
}

// TestIdempotencyWithoutStore: a request with a key is refused while it is not known whether its run has begun elsewhere, and keeps nothing.
func TestIdempotencyWithoutStore(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	line := newCable(t, redisAddress(t))
	r := replica(t, a, "agui", "grace: 1m", line.Addr().String())
	line.set(true)
	r.call(t, 503, repeated, "POST", "/run", resumeClients[0].body, "store_unavailable")
	var req fasthttp.RequestCtx // of which the store is asked when its claim is taken, and no sooner
	req.Init(new(fasthttp.Request), nil, nil)
	req.Request.Header.SetMethod("POST")
	req.Request.Header.Set("Idempotency-Key", "k1")
	way, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	if c, answered := r.claimRun(&req, way, way.first, subpath{}, "id", ""); c != nil || !answered || req.Response.StatusCode() != 503 {
		t.Errorf("the claim is %v, and it is answered: %t, with %d", c, answered, req.Response.StatusCode())
	}
	if n := r.metric("sabir_requests_rejected_total", "code=store_unavailable"); n != 2 {
		t.Errorf("of two requests %v are counted as refused", n)
	}
	if n := a.connections(); n != 0 || len(r.kept.claims.byKey) != 0 {
		t.Errorf("the agent was asked %d times, and %d claims are left", n, len(r.kept.claims.byKey))
	}
	line.set(false)
	r.call(t, 200, repeated, "POST", "/run", resumeClients[0].body, "RUN_FINISHED")
}
