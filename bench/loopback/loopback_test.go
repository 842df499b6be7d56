package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/bench"
)

// TestMain lets the test binary be the child processes, too, as the program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		if err := serveRole(os.Args[1:], os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	m.Run() // the test program exits with what it returned
}

// serving runs a role in this process until the test ends, and returns its address.
func serving(t *testing.T, role string, s spec) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- roles[role](ln, s) }()
	t.Cleanup(func() {
		ln.Close()
		if err := <-done; err != nil {
			t.Errorf("%s: %v", role, err)
		}
	})
	return ln.Addr().String()
}

func noMeter() *meter { return newMeter(0, nil) }

const fewEvents = 40

// fewFlowing lets a handful of streams through a target.
func fewFlowing(t *testing.T, to target, c call) sample {
	t.Helper()
	return flow(t.Context(), to, &judge{dialect: to.answer, call: c}, 3, time.Millisecond, noMeter, 1)
}

// TestFloorsAreRight runs every target between every two dialects that it can do: no stream may be wrong.
func TestFloorsAreRight(t *testing.T) {
	upstream := serving(t, "upstream", spec{})
	raw := serving(t, "raw", spec{Upstream: upstream})
	reverse := serving(t, "reverse", spec{Upstream: upstream})
	f := func(to target) {
		t.Helper()
		for _, c := range []call{{events: fewEvents}, {events: fewEvents, segmented: true}} {
			s := fewFlowing(t, to, c)
			if s.Bad > 0 || s.Streams == 0 || s.Events != int64(s.Streams)*fewEvents {
				t.Errorf("%s %s: %s", to.name, to.path, s.summary())
			}
		}
	}
	for _, d := range adapters.All() {
		if d.NewEncoder == nil || d.NewDecoder == nil {
			continue
		}
		f(target{name: "direct", addr: upstream, path: "/" + d.Name, answer: d})
		f(target{name: "raw", addr: raw, path: "/" + d.Name, answer: d})
		f(target{name: "reverse", addr: reverse, path: "/" + d.Name, answer: d})
		for _, to := range adapters.All() {
			if script, ok := splicePair(pair{d, to}); ok && to != d {
				splice := serving(t, "splice", spec{Upstream: upstream, Splice: script})
				f(target{name: "splice to " + to.Name, addr: splice, path: "/" + d.Name, answer: to})
			}
		}
	}
}

// TestBadProxiesAreNoticed puts proxies in the way that damage every stream; flowing or paced, not one may pass.
func TestBadProxiesAreNoticed(t *testing.T) {
	upstream := serving(t, "upstream", spec{})
	lines := func(change func(lines [][]byte) [][]byte) func([]byte) []byte {
		return func(body []byte) []byte { return bytes.Join(change(bytes.SplitAfter(body, []byte("\n"))), nil) }
	}
	f := func(name string, damage func(body []byte) []byte) {
		t.Helper()
		to := target{name: name, addr: damaging(t, upstream, damage), path: "/native", answer: &native.Dialect}
		if s := fewFlowing(t, to, call{events: fewEvents}); s.Streams > 0 || s.Bad == 0 || s.Fault == "" {
			t.Errorf("%s, flowing: %s", name, s.summary())
		}
		if s := fewPaced(t, to, 100*time.Millisecond, ""); s.Streams > 0 || s.Bad == 0 || s.Fault == "" {
			t.Errorf("%s, paced: %s", name, s.summary())
		}
	}
	f("a changed text", func(b []byte) []byte { return bytes.Replace(b, []byte(bench.MarkTail), []byte(" no"), 1) })
	f("a lost record", lines(func(l [][]byte) [][]byte { return append(l[:7:7], l[8:]...) }))
	f("a doubled record", lines(func(l [][]byte) [][]byte { return append(l[:8:8], l[7:]...) }))
	f("a moved record", lines(func(l [][]byte) [][]byte { l[7], l[8] = l[8], l[7]; return l }))
	f("a lost end", lines(func(l [][]byte) [][]byte { return l[:len(l)-2] }))
	f("half a body", func(b []byte) []byte { return b[:len(b)/2] })
	f("no body", func([]byte) []byte { return nil })
}

// damaging serves what the upstream does, damaged.
func damaging(t *testing.T, upstream string, damage func([]byte) []byte) string {
	return handling(t, func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Get("http://" + upstream + r.URL.RequestURI())
		if err != nil {
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		_, _ = w.Write(damage(body))
	})
}

func handling(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(ln) }()
	t.Cleanup(func() { s.Close() })
	return ln.Addr().String()
}

func TestErrorsAreNoticed(t *testing.T) {
	f := func(name, addr string) {
		t.Helper()
		s := fewFlowing(t, target{addr: addr, path: "/native", answer: &native.Dialect}, call{events: fewEvents})
		if s.Streams > 0 || s.Bad == 0 || s.Fault == "" {
			t.Errorf("%s: %s", name, s.summary())
		}
	}
	good, err := bench.NewScript(&native.Dialect, fewEvents)
	if err != nil {
		t.Fatal(err)
	}
	f("status 500 with a good body", handling(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(good.Bytes())
	}))
	f("a connection that breaks", handling(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(good.Bytes())
		panic(http.ErrAbortHandler)
	}))
	f("no server", "127.0.0.1:1")
	f("a dialect that does not exist", serving(t, "raw", spec{Upstream: "127.0.0.1:1"}))
}

// fewPaced paces a few streams for a short while.
func fewPaced(t *testing.T, to target, window time.Duration, recording string) sample {
	t.Helper()
	c := call{interval: 20 * time.Millisecond, base: time.Now().UnixMicro(), recording: recording}
	p := pacing{streams: 3, ramp: c.interval, window: window, rest: c.interval}
	c.events = p.events(c.interval)
	return pace(t.Context(), to, c, p, 0, noMeter, 1)
}

func TestPaced(t *testing.T) {
	upstream := serving(t, "upstream", spec{})
	for _, recording := range []string{"", bench.ShapePrefix + "calls"} {
		s := fewPaced(t, target{addr: upstream, path: "/native", answer: &native.Dialect}, time.Second, recording)
		if s.Streams != 3 || s.Bad > 0 || s.P50 <= 0 || s.P99 < s.P50 {
			t.Errorf("direct, %s: %s, p99 %v", recording, s.summary(), s.P99)
		}
	}
}

// TestDelayIsSeen holds every event back for a while: latency, which counts from the timetable, cannot be less. The
// delays add up as in a proxy that is too slow, and a load that waited for it would see the same small delay each time.
func TestDelayIsSeen(t *testing.T) {
	upstream := serving(t, "upstream", spec{})
	const delay = 25 * time.Millisecond // with an event every 20 ms
	addr := handling(t, func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Get("http://" + upstream + r.URL.RequestURI())
		if err != nil {
			return
		}
		defer resp.Body.Close()
		buf := make([]byte, 100) // about one event
		for {
			n, err := resp.Body.Read(buf)
			time.Sleep(delay)
			_, _ = w.Write(buf[:n])
			w.(http.Flusher).Flush()
			if err != nil {
				return
			}
		}
	})
	s := fewPaced(t, target{addr: addr, path: "/native", answer: &native.Dialect}, 200*time.Millisecond, "")
	if s.Bad > 0 || s.P50 < 2*milliseconds(delay) {
		t.Errorf("p50 is %v ms, want at least two delays: %s", s.P50, s.summary())
	}
}

// TestWhole runs the program with real child processes, the proxy among them.
func TestWhole(t *testing.T) {
	f := func(args ...string) *report {
		t.Helper()
		var out bytes.Buffer
		saved := filepath.Join(t.TempDir(), "saved.json")
		args = append(args, "-json", "-from", "native", "-to", "native", "-rounds", "1", "-streams", "2", "-duration", "50ms", "-inside", "-save", saved)
		if err := run(t.Context(), args, strings.NewReader(""), &out, io.Discard); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out.String())
		}
		var r report
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if again, err := loadReports([]string{saved}); err != nil || len(again.Cells) != len(r.Cells) || again.Bad != r.Bad {
			t.Errorf("%v: saved was %+v, %v", args, again, err)
		}
		if r.Bad != 0 || r.Machine == "" {
			t.Errorf("%v: %+v", args, r)
		}
		for _, c := range r.Cells {
			if len(c.Samples) != 1 || c.Samples[0].Streams < 2 && c.Mode != size {
				t.Errorf("%v: %s has samples %+v", args, c.Target, c.Samples)
			}
		}
		return &r
	}
	f("-mode", "flowing", "-events", "20")
	f("-mode", "segmented", "-events", "20")
	f("-mode", "paced", "-rate", "100")
	f("-mode", "slow,cancel,size")
	f("-mode", "recorded")
}

// TestUsage reads what the measurements are made of, where it can be read.
func TestUsage(t *testing.T) {
	if _, err := machineTime(); err != nil {
		t.Logf("not on this system: %v", err)
		return
	}
	self := os.Getpid()
	before, err := cpuTime(self)
	if err != nil || before <= 0 {
		t.Errorf("CPU time %v, %v", before, err)
	}
	var sink int
	for i := range 1_000_000 {
		sink ^= i
	}
	if after, err := cpuTime(self); err != nil || after <= before {
		t.Errorf("CPU time goes from %v to %v, %v (%d)", before, after, err, sink)
	}
	if n, err := resident(self); err != nil || n < 1<<20 {
		t.Errorf("resident %d, %v", n, err)
	}
	if _, err := cpuTime(1 << 22); err == nil {
		t.Error("a process that does not exist has CPU time")
	}
}

func TestFigures(t *testing.T) {
	c := &cell{Target: "sabir", Samples: []sample{{CPU: 3, Events: 1e6}, {CPU: 1, Events: 1e6}, {CPU: 2, Events: 1e6}}}
	if got := c.figure((*sample).perEvent).format(1); got != "2.0 (1.0–3.0)" {
		t.Errorf("got %s", got)
	}
	floor := &cell{Samples: []sample{{CPU: 1, Events: 1e6}, {CPU: 1, Events: 1e6}, {CPU: 4, Events: 1e6}}}
	if got := c.ratio(floor, (*sample).perEvent).format(2); got != "1.00 (0.50–3.00)" {
		t.Errorf("got %s", got)
	}
	c.Quiet, c.Samples[1].Others = 0.1, 0.5
	if got := c.figure((*sample).perEvent).format(1); got != "2.0 (1.0–3.0)" {
		t.Errorf("too few quiet rounds, but got %s", got)
	}
	c.Samples = append(c.Samples, sample{CPU: 4, Events: 1e6})
	if got := c.figure((*sample).perEvent).format(1); got != "3.0 (2.0–4.0)" {
		t.Errorf("a disturbed round counts: %s", got)
	}
	if got := figureOf([]float64{-1, 2}).format(1); got != "-" {
		t.Errorf("an unknown sample gives %s", got)
	}
}

func TestOptions(t *testing.T) {
	f := func(args ...string) {
		t.Helper()
		if err := run(context.Background(), args, strings.NewReader(""), io.Discard, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	f("-mode", "fast")
	f("-mode", "paced,fast")
	f("-pairs", "none")
	f("-load", "no such file")
	f("-from", "native")
	f("-from", "native", "-to", "nothing")
	f("-events", "1")
	f("-rate", "0")
	f("more")
	f("upstream")
	f("upstream", "{")
}
