package runstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a replica, and what it was notified of.
type rig struct {
	*Store
	client redis.UniversalClient
	stops  chan string
	watch  chan string
	events sync.Map // of *atomic.Int64
}

// address is that of a real server, or of one in this process. The test leaves nothing there: it may run again.
func address(t *testing.T) string {
	if address := redistest.Address(); address != "" {
		t.Cleanup(func() {
			client := redistest.Client(address)
			defer client.Close()
			redistest.Clean(client, t.Name()+":")
		})
		return address
	}
	return miniredis.RunT(t).Addr()
}

func open(t *testing.T, address string, backlog int) *rig {
	t.Helper()
	return openWith(t, address, backlog, time.Minute)
}

func openWith(t *testing.T, address string, backlog int, lease time.Duration) *rig {
	t.Helper()
	return openFlushing(t, address, backlog, lease, 0)
}

func openFlushing(t *testing.T, address string, backlog int, lease, flush time.Duration) *rig {
	t.Helper()
	return openClient(t, redistest.Client(address), backlog, lease, flush)
}

func openClient(t *testing.T, client redis.UniversalClient, backlog int, lease, flush time.Duration) *rig {
	t.Helper()
	r := &rig{client: client, stops: make(chan string, 1), watch: make(chan string, 1)}
	r.Store = Open(Config{
		Client: r.client, Prefix: t.Name() + ":", Lease: lease, Timeout: 2 * time.Second, Flush: flush, Backlog: backlog,
		OnCancel: func(what []byte) bool { return string(what) == r.name },
		OnStop:   func(token string) { r.stops <- token }, OnWatch: func(token string) { r.watch <- token },
		OnError: func(error) {},
		Count: func(event string) {
			n, _ := r.events.LoadOrStore(event, new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
		},
	})
	t.Cleanup(r.Close)
	return r
}

func (r *rig) count(event string) int64 {
	n, _ := r.events.LoadOrStore(event, new(atomic.Int64))
	return n.(*atomic.Int64).Load()
}

func headOf(about []byte, keep time.Duration) Head {
	return Head{Format: FormatEvents, Scope: []byte("scope"), About: about, Keep: keep}
}

func (r *rig) create(t *testing.T, token string, fenced func()) *Run {
	t.Helper()
	run, err := r.Create(token, headOf([]byte(`"about"`), time.Minute), 0, []string{NameOf("scope", "thread", token)}, fenced)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// memo is a sink that remembers.
type memo struct {
	mu   sync.Mutex
	text strings.Builder
	ends chan string
}

func newMemo() *memo { return &memo{ends: make(chan string, 2)} }

func (m *memo) Append(p []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text.Write(p)
}

func (m *memo) Restore(short []byte, of int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(&m.text, "[%d: %s]", of, short)
}

func (m *memo) End(how, why string) { m.ends <- how + why }

func (m *memo) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.String()
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

func flushed(t *testing.T, r *rig) {
	t.Helper()
	await(t, "what waits to be sent", func() bool {
		r.writer.mu.Lock()
		defer r.writer.mu.Unlock()
		return len(r.writer.waiting) == 0 && !r.writer.sending
	})
}

// TestFollow: what a run says comes to another replica whole and in order, from before and after that asks, and by its names.
func TestFollow(t *testing.T) {
	t.Parallel()
	at := address(t)
	one, two := open(t, at, 1<<20), open(t, at, 1<<20)
	run := one.create(t, "token", func() { t.Error("fenced") })
	want := ""
	say := func(from, to int) {
		for i := from; i < to; i++ {
			word := fmt.Sprintf("%d ", i)
			want += word
			run.Append([]byte(word))
			if i%3 == 0 && i < 3*page {
				flushed(t, one)
			}
		}
	}
	say(0, 3*page+100) // more than a page of entries
	flushed(t, one)
	named, err := two.Find(NameOf("scope", "thread", "token"))
	token := named.Token
	if token != "token" || err != nil {
		t.Fatalf("found %q, %v", token, err)
	}
	head, err := two.Head(token)
	if err != nil || head.Owner != one.name || string(head.Scope) != "scope" || string(head.About) != `"about"` || head.Keep != time.Minute {
		t.Fatalf("%+v, %v", head, err)
	}
	m := newMemo()
	if _, err := two.Follow(token, head.Owner, m); err != nil {
		t.Fatal(err)
	}
	say(3*page+100, 3*page+200)
	run.End("odd", []byte("why"))
	if how := <-m.ends; how != "oddwhy" || m.String() != want {
		t.Errorf("ended %q with %d bytes of %d", how, len(m.String()), len(want))
	}
	late := newMemo()
	if _, err := two.Follow(token, head.Owner, late); err != nil || <-late.ends != "oddwhy" || late.String() != want {
		t.Errorf("%v: who comes late gets %d bytes of %d", err, len(late.String()), len(want))
	}
	if named, err := two.Find(NameOf("other", "thread", "token")); named.Token != "" || err != nil {
		t.Errorf("another scope finds %q, %v", named.Token, err)
	}
	if head, err := two.Head("nothing"); head != nil || err != nil {
		t.Errorf("%v, %v", head, err)
	}
}

// TestTell: replicas tell each other to end runs, and that they are read.
func TestTell(t *testing.T) {
	t.Parallel()
	at := address(t)
	one, two := open(t, at, 1<<20), open(t, at, 1<<20)
	if err := errors.Join(two.Stop(one.name, "a"), two.Watch(one.name, "b")); err != nil {
		t.Fatal(err)
	}
	if token := <-one.stops; token != "a" {
		t.Errorf("stop %q", token)
	}
	if token := <-one.watch; token != "b" {
		t.Errorf("watch %q", token)
	}
}

// TestFence: an owner that was taken for dead learns of it with the next thing that it says, and says no more.
func TestFence(t *testing.T) {
	t.Parallel()
	at := address(t)
	one, two := open(t, at, 1<<20), open(t, at, 1<<20)
	fenced := make(chan struct{}, 2)
	run := one.create(t, "token", func() { fenced <- struct{}{} })
	run.Append([]byte("said"))
	flushed(t, one)
	m := newMemo()
	if _, err := two.Follow("token", "somebody who is gone", m); err != nil {
		t.Fatal(err)
	}
	for i := range checksUntilDead + 1 {
		if two.reader.endOrphans(context.Background()); i == 0 && len(m.ends) > 0 { // the replica itself may have looked once
			t.Error("the run was ended before its owner could say that it is there")
		}
	}
	if how := <-m.ends; how != EndOwner || m.String() != "said" {
		t.Errorf("ended %q behind %q", how, m)
	}
	run.Append([]byte("more"))
	<-fenced
	run.Append([]byte("still more"))
	run.End(EndDone, nil)
	flushed(t, one)
	if n, err := one.client.XLen(context.Background(), one.key("run", "token")).Result(); n != 2 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	if one.count(EventFenced) != 1 || two.count(EventOrphan) != 1 {
		t.Errorf("%d fenced, %d orphans", one.count(EventFenced), two.count(EventOrphan))
	}
}

// TestAway: what is said while Redis is away goes out as one entry when it is back; a run that says more than may wait is lost to
// others, who learn of it, and the others are not.
func TestAway(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	one, two := open(t, server.Addr(), 1000), open(t, server.Addr(), 1000)
	short, long := one.create(t, "short", nil), one.create(t, "long", nil)
	short.Append([]byte("a"))
	long.Append([]byte("b"))
	flushed(t, one)
	server.SetError("LOADING not yet")
	short.Append([]byte("c"))
	await(t, "it to be on its way", func() bool { // an error alone may be that of who says that the replica is there
		one.writer.mu.Lock()
		defer one.writer.mu.Unlock()
		return len(short.said) == 0
	})
	await(t, "an error", func() bool { return one.count(EventError) > 0 })
	short.Append([]byte("d"))
	await(t, "the backlog to be full", func() bool { long.Append(make([]byte, 900)); return one.count(EventLost) > 0 })
	short.Append([]byte("e"))
	short.End(EndDone, nil)
	server.SetError("")
	flushed(t, one)
	ms, ml := newMemo(), newMemo()
	for token, m := range map[string]*memo{"short": ms, "long": ml} {
		if _, err := two.Follow(token, one.name, m); err != nil {
			t.Fatal(err)
		}
	}
	if how := <-ml.ends; how != EndStore {
		t.Errorf("the long one ended %q", how)
	}
	if how := <-ms.ends; how != EndDone || ms.String() != "acde" {
		t.Errorf("the short one ended %q behind %q", how, ms)
	}
	if n, err := one.client.XLen(context.Background(), one.key("run", "short")).Result(); n != 3 || err != nil {
		t.Errorf("%d entries, %v", n, err) // a, c, and what was said meanwhile
	}
}

// TestAwayForNewRuns: while Redis is away, runs that begin do not take more memory than may wait either.
func TestAwayForNewRuns(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	one := open(t, server.Addr(), 100_000)
	server.SetError("LOADING not yet")
	refused := 0
	for i := range 100 {
		run, err := one.Create(fmt.Sprint(i), headOf(make([]byte, 10_000), time.Minute), 0, nil, nil)
		if err != nil {
			refused++
			continue
		}
		run.End(EndDone, nil)
	}
	one.writer.mu.Lock()
	waiting := one.writer.bytes
	one.writer.mu.Unlock()
	if waiting > 100_000 || refused == 0 || one.count(EventLost) != int64(refused) {
		t.Errorf("%d bytes wait, %d runs are not shared, and %d count as lost", waiting, refused, one.count(EventLost))
	}
	server.SetError("")
	flushed(t, one)
	one.create(t, "later", nil).End(EndDone, nil)
	flushed(t, one)
	if head, err := one.Head("later"); head == nil || err != nil {
		t.Errorf("a later run: %v, %v", head, err)
	}
}

// TestGap: a reader learns that entries are missing, as after Redis has lost what it had not written, and gets nothing behind them.
func TestGap(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	one, two := open(t, server.Addr(), 1<<20), open(t, server.Addr(), 1<<20)
	run := one.create(t, "token", nil)
	say := func(text string) {
		run.Append([]byte(text))
		flushed(t, one)
	}
	say("a")
	m := newMemo()
	if _, err := two.Follow("token", one.name, m); err != nil {
		t.Fatal(err)
	}
	say("b")
	await(t, "what was said", func() bool { return m.String() == "ab" })
	server.Del(one.key("run", "token"))
	say("c")
	late := newMemo()
	if _, err := two.Follow("token", one.name, late); err != nil {
		t.Fatal(err)
	}
	if how := <-late.ends; how != EndCut || late.String() != "" {
		t.Errorf("who comes late gets %q and the end %q", late, how)
	}
}

// TestLongRun: Redis holds a bounded part of a run that says much. Readers that are in step get all; who comes late learns that the
// beginning is missing.
func TestLongRun(t *testing.T) {
	t.Parallel()
	at := address(t)
	one, two := open(t, at, 1<<20), open(t, at, 1<<20)
	const limit, entry, times = 100_000, 1000, 1000
	run, err := one.Create("token", headOf(nil, time.Minute), limit, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	early, late := newMemo(), newMemo()
	if _, err := two.Follow("token", one.name, early); err != nil {
		t.Fatal(err)
	}
	for i := range times {
		run.Append(make([]byte, entry))
		if flushed(t, one); i%50 == 0 {
			await(t, "the reader", func() bool { return len(early.String()) == (i+1)*entry })
		}
	}
	if _, err := two.Follow("token", one.name, late); err != nil {
		t.Fatal(err)
	}
	if how := <-late.ends; how != EndCut || late.String() != "" {
		t.Errorf("who comes late gets %d bytes and the end %q", len(late.String()), how)
	}
	run.End(EndDone, nil)
	if how := <-early.ends; how != EndDone || len(early.String()) != times*entry {
		t.Errorf("who was there gets %d bytes and the end %q", len(early.String()), how)
	}
	n, err := one.client.XLen(context.Background(), one.key("run", "token")).Result()
	if least, most := int64(limit/entry), int64(limit/entry*3); n < least || n > most || err != nil { // Redis lets go of whole nodes
		t.Errorf("%d entries are held, %v", n, err)
	}
}
