package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
	"github.com/sabir-proxy/sabir/proxy/internal/runstore"
)

// redisAddress is a Redis server for one test: a real one, or one in this process.
func redisAddress(t testing.TB) string {
	t.Helper()
	if address := redistest.Address(); address != "" {
		return address
	}
	m := miniredis.RunT(t)
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() { // its clock stands still otherwise
		const step = 20 * time.Millisecond
		for {
			select {
			case <-time.After(step):
				m.FastForward(step)
			case <-stop:
				return
			}
		}
	}()
	return m.Addr()
}

// keyPrefixes has that of each test that runs.
var keyPrefixes sync.Map

// keyPrefix is what the keys of a test begin with in Redis. A test that runs again, or in two processes, has another one: what a server still
// has of the run before is not found.
func keyPrefix(t testing.TB) string {
	prefix, known := keyPrefixes.LoadOrStore(t, t.Name()+":"+newToken()+":")
	if !known {
		t.Cleanup(func() { keyPrefixes.Delete(t) })
	}
	return prefix.(string)
}

// prefixed is that as a setting of a store, behind others.
func prefixed(t testing.TB) string { return fmt.Sprintf(", prefix: %q", keyPrefix(t)) }

// prefixedAnew is another one at each call: of proxies that are to know nothing of others of the same test.
func prefixedAnew(t testing.TB) string {
	return fmt.Sprintf(", prefix: %q", t.Name()+":"+newToken()+":")
}

// cable carries connections to Redis, until it is cut.
type cable struct {
	net.Listener
	to string

	mu    sync.Mutex
	dead  bool
	word  string // what it does not carry; "" for all
	once  bool   // but for a single time
	delay delay
	conns []net.Conn
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: ln, to: to}
	go c.work()
	t.Cleanup(func() { _ = ln.Close(); c.set(true) })
	return c
}

func (c *cable) work() {
	for {
		in, err := c.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", c.to)
		c.mu.Lock()
		if err != nil || c.dead {
			_ = in.Close()
			c.mu.Unlock()
			continue
		}
		c.conns = append(c.conns, in, out)
		c.mu.Unlock()
		go func() { _, _ = io.Copy(out, snipped{in, c}); _ = out.Close() }()
		go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
	}
}

// set cuts the cable, or mends it.
func (c *cable) set(dead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = dead
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// TestReplicas: a client that has lost its stream comes back at another replica, and others read the run at a third, byte for byte.
func TestReplicas(t *testing.T) {
	t.Parallel()
	for _, c := range resumeClients {
		if c.dialect == "native" {
			continue // its records have no ids
		}
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			a, goOn, _ := gatedAgent(t)
			address := redisAddress(t)
			one, two, three := replica(t, a, c.dialect, "grace: 1m", address), replica(t, a, c.dialect, "grace: 1m", address), replica(t, a, c.dialect, "grace: 1m", address)
			run, had := one.lostRun(c.path, c.body)
			two.awaitRun(t, run)
			other := two.dial()
			if method, path, own := strings.Cut(c.back, " "); own {
				other.ask(method, path, "", alice)
			} else {
				other.ask("GET", c.path, "", alice, "X-Sabir-Run: "+run)
			}
			live := other.response()
			three.call(t, 404, bob+"\r\nLast-Event-ID: "+lastID(had), "GET", c.path, "")
			close(goOn)
			body, err := io.ReadAll(live.Body)
			if whole := string(body); err != nil || !strings.HasPrefix(whole, had) || !strings.Contains(whole, "world") {
				t.Fatalf("%v: at another replica comes\n%s\nbehind\n%s", err, whole, had)
			}
			if rest := three.call(t, 200, alice+"\r\nLast-Event-ID: "+lastID(had), "POST", c.path, c.body); had+rest != string(body) {
				t.Errorf("the rest is\n%s\nof\n%s\nwhere the client had\n%s", rest, body, had)
			}
			if n := a.connections(); n != 1 {
				t.Errorf("the agent was asked %d times", n)
			}
		})
	}
}

// openAt begins a run at a replica, as a client of AG-UI, and reads half of it.
func openAt(t *testing.T, r *rig) (c *client, resp *http.Response, run, had string) {
	t.Helper()
	c, resp = r.openRun()
	had = firstHalf(t, resp)
	return c, resp, resp.Header.Get(runHeader), had
}

// joinAt comes to a run at a replica, and reads half of it.
func joinAt(t *testing.T, r *rig, run string) (c *client, resp *http.Response) {
	t.Helper()
	r.awaitRun(t, run)
	c = r.dial()
	c.ask("GET", "/run", "", alice, "X-Sabir-Run: "+run)
	resp = c.response()
	firstHalf(t, resp)
	return c, resp
}

func rest(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%v behind %s", err, body)
	}
	return string(body)
}

// TestReplicaStops: a run is ended at any replica.
func TestReplicaStops(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	one, two := twoReplicas(t, a, "1m")
	_, resp, run, _ := openAt(t, one)
	_, other := joinAt(t, two, run)
	two.call(t, 404, bob+"\r\nX-Sabir-Run: "+run, "DELETE", "/run", "")
	two.call(t, 204, alice+"\r\nX-Sabir-Run: "+run, "DELETE", "/run", "")
	<-gone
	if here, there := rest(t, resp), rest(t, other); here != there || !strings.Contains(here, "RUN_") {
		t.Errorf("the end is\n%s\nand at the other replica\n%s", here, there)
	}
}

// TestReplicaWatches: a client at another replica keeps a run going until it leaves.
func TestReplicaWatches(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	one, two := twoReplicas(t, a, "6s") // the other replica says three times in that time that it has a client
	c, _, run, _ := openAt(t, one)
	other, _ := joinAt(t, two, run)
	c.reset()
	select {
	case <-gone:
		t.Fatal("the run was ended under its client at another replica")
	case <-time.After(9 * time.Second):
	}
	other.reset()
	<-gone
}

// TestReplicaDies: what a replica has begun ends honestly when it is gone, once for all; a replica that was only cut off learns
// that it was taken for dead.
func TestReplicaDies(t *testing.T) {
	t.Parallel()
	a, goOn, gone := gatedAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	one, two, three := replica(t, a, "agui", "grace: 1m", line.Addr().String()), replica(t, a, "agui", "grace: 1m", address), replica(t, a, "agui", "grace: 1m", address)
	_, _, run, had := openAt(t, one)
	_, second := joinAt(t, two, run)
	_, third := joinAt(t, three, run)
	line.set(true)
	ends := []string{rest(t, second), rest(t, third)}
	if ends[0] != ends[1] || !strings.Contains(ends[0], "RUN_ERROR") || strings.Contains(ends[0], "world") {
		t.Errorf("the end is\n%s\nand\n%s", ends[0], ends[1])
	}
	// A client that had more than the log has sees the end.
	late := two.call(t, 200, alice+"\r\nLast-Event-ID: "+run+"-999", "GET", "/run", "", "RUN_ERROR")
	if strings.Contains(late, "Hello") || had == "" {
		t.Errorf("behind everything comes %s", late)
	}
	three.call(t, 204, alice+"\r\nLast-Event-ID: "+lastID(late), "GET", "/run", "") // else an EventSource comes again and again
	orphans := func() float64 {
		return two.metric("sabir_resume_store_events_total", "event=orphan") + three.metric("sabir_resume_store_events_total", "event=orphan")
	}
	await(t, "the end to be counted", func() bool { return orphans() > 0 }) // readers can have it before
	if n := orphans(); n != 1 {
		t.Errorf("the run was ended %v times", n)
	}
	line.set(false)
	close(goOn)
	await(t, "the first replica to learn of it", func() bool { return one.metric("sabir_resume_store_events_total", "event=fenced") == 1 })
	select {
	case <-gone:
	case <-time.After(100 * time.Millisecond): // the agent had said everything by then
	}
}

// TestStoreAway: clients that are connected do not notice that Redis is away; those that come get a status, and what was said in the
// meantime is there when it is back.
func TestStoreAway(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	one, two := replica(t, a, "agui", "grace: 1m", line.Addr().String()), replica(t, a, "agui", "grace: 1m", line.Addr().String())
	_, resp, run, _ := openAt(t, one)
	line.set(true)
	two.call(t, 503, alice+"\r\nX-Sabir-Run: "+run, "GET", "/run", "", "store_unavailable")
	close(goOn)
	if got := rest(t, resp); !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("the client of the run gets %s", got)
	}
	line.set(false)
	await(t, "the run to be there", func() bool {
		_, body := two.post("/run", "", alice, "X-Sabir-Run: "+run)
		return strings.Contains(body, "RUN_FINISHED")
	})
}

// TestStopWhileStoreIsAway: a client that ends a run of an unreachable replica gets an error, and can try again.
func TestStopWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	one, two := replica(t, a, "agui", "grace: 1m", address), replica(t, a, "agui", "grace: 1m", line.Addr().String())
	_, _, run, _ := openAt(t, one)
	joinAt(t, two, run)
	line.set(true)
	two.call(t, 503, alice+"\r\nX-Sabir-Run: "+run, "DELETE", "/run", "", "store_unavailable")
	line.set(false)
	await(t, "the run to be ended", func() bool {
		c := two.dial()
		c.ask("DELETE", "/run", "", alice, "X-Sabir-Run: "+run)
		return c.response().StatusCode == 204
	})
	<-gone
}

// TestStopOfEndedRunWhileStoreIsAway: a run of another replica that has ended need not be ended, so that no owner is asked.
func TestStopOfEndedRunWhileStoreIsAway(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	address := redisAddress(t)
	line := newCable(t, address)
	one, two := replica(t, a, "agui", "grace: 1m", address), replica(t, a, "agui", "grace: 1m", line.Addr().String())
	_, _, run, _ := openAt(t, one)
	_, other := joinAt(t, two, run)
	close(goOn)
	if got := rest(t, other); !strings.Contains(got, "RUN_FINISHED") {
		t.Errorf("the end is %s", got)
	}
	await(t, "the end of the run, which comes behind its last record", func() bool { return two.metric("sabir_resume_runs", "state=live") == 0 })
	line.set(true)
	two.call(t, 204, alice+"\r\nX-Sabir-Run: "+run, "DELETE", "/run", "")
}

// TestStaleName: a name that leads to a run which the store has no more does not hide the run of that name that goes on here.
func TestStaleName(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	address := redisAddress(t)
	r := replica(t, a, "aisdk", "grace: 1m", address)
	first := r.dial()
	first.ask("POST", resumeClients[1].path, resumeClients[1].body, alice)
	firstHalf(t, first.response())
	store := redistest.Client(address)
	defer store.Close()
	await(t, "the name to be known", func() bool {
		names := redistest.Keys(t, store, keyPrefix(t)+"name:")
		for _, name := range names {
			store.Set(t.Context(), name, "a run of an hour ago", time.Minute)
		}
		return len(names) > 0
	})
	other := r.dial()
	other.ask("GET", "/run/chat%201/stream", "", alice)
	resp := other.response()
	if close(goOn); resp.StatusCode != 200 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if body := rest(t, resp); !strings.Contains(body, "world") {
		t.Errorf("got %s", body)
	}
}

// TestStoreFrozen: clients that come for the same run while Redis does not answer wait beside each other, not one behind the other.
func TestStoreFrozen(t *testing.T) {
	t.Parallel()
	frozen, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts connections, and no server reads them
	if err != nil {
		t.Fatal(err)
	}
	a, _, _ := gatedAgent(t)
	r := replicaOf(t, a, "agui", "grace: 1m", storeYAML(frozen.Addr().String(), ", timeout: 2s"))
	t.Cleanup(func() { _ = frozen.Close() }) // before the replica ends
	var all sync.WaitGroup
	begun := time.Now()
	for range 6 {
		c := r.dial()
		all.Go(func() {
			c.ask("GET", "/run", "", alice, "X-Sabir-Run: unknown")
			if resp := c.response(); resp.StatusCode != 503 {
				t.Errorf("status %d", resp.StatusCode)
			}
		})
	}
	all.Wait()
	if took := time.Since(begun); took > 11*time.Second { // one behind the other they wait for 12s
		t.Errorf("the last client waited for %s", took)
	}
}

// TestEndOfRemoteRun: a run of another replica ends here as it did there, or with the reason why no more comes of it.
func TestEndOfRemoteRun(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]hub.Code{
		runstore.EndDone: "", runstore.EndOwner: hub.CodeReset, runstore.EndStore: hub.CodeStore, runstore.EndCut: hub.CodeRunCut, string(hub.CodeIdle): hub.CodeIdle,
	} {
		runs := new(sharedRuns)
		m := &remoteRun{replicas: &replicas{runs: runs}, run: runs.Begin(new(shared), 1<<10, false), ended: make(chan struct{})}
		m.End(how, "")
		<-m.ended
		code := hub.Code("")
		if err := m.run.Log.Cause(); err != nil {
			code = asFailure(err).Code
		}
		if code != want || !m.run.Ended() {
			t.Errorf("%q ends with %q, want %q", how, code, want)
		}
	}
}
