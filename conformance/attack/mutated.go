package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/conformance/recorded"
	"github.com/sabir-proxy/sabir/proxy"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

func mutatedAttacks() []*attack {
	return []*attack{{
		name:     "mutated/streams",
		tries:    "recorded streams of all dialects, damaged, from every reader to every writer: bytes flipped, records cut, swapped, repeated, values replaced, nested deep, bad UTF-8, bad JSON",
		holds:    "no panic, no hang, bounded memory and output; every record is JSON in valid UTF-8; a cut stays a cut",
		run:      mutatedStreams,
		inMemory: true,
	}, {
		name:     "mutated/every-byte",
		tries:    "recorded streams of all dialects of up to 3 KiB, cut at every byte",
		holds:    "what had not ended never ends clean, and every record is valid",
		run:      everyByte,
		limit:    10 * time.Minute,
		inMemory: true,
	}, {
		name:     "mutated/unrecognised",
		tries:    "every recorded stream read as every other dialect",
		holds:    "a stream of which nothing is recognised never ends clean",
		run:      unrecognised,
		inMemory: true,
	}}
}

// mutatedStreams tries damaged streams for as long as it may. Stream n depends on the seed and on n alone.
func mutatedStreams(t *trial) {
	var sources []*recorded.Stream
	for _, s := range t.suite.streams {
		if len(s.Wire) > 0 && s.Dialect.NewDecoder != nil {
			sources = append(sources, s)
		}
	}
	m := &mutator{trial: t, sources: sources, targets: writers(), until: time.Now().Add(t.opt.time)}
	if t.opt.stream >= 0 {
		m.try(t.opt.stream)
		return
	}
	ctx, stop := context.WithCancel(t.ctx)
	defer stop()
	go m.watchMemory(ctx)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(m.work)
	}
	all.Wait()
	t.count(int(m.next.Load()))
	t.figure("pairs", "%d readers × %d writers", len(readers()), len(m.targets))
	t.figure("bytes", "%s", mib(m.bytes.Load()))
	t.figure("most memory", "%s", mib(m.most.Load()))
	t.figure("slowest stream", "%v", time.Duration(m.slowest.Load()).Round(time.Millisecond))
}

func readers() (all []*hub.Dialect) {
	for _, d := range adapters.All() {
		if d.NewDecoder != nil {
			all = append(all, d)
		}
	}
	return all
}

func writers() (all []*hub.Dialect) {
	for _, d := range adapters.All() {
		if d.NewEncoder != nil {
			all = append(all, d)
		}
	}
	return all
}

// mutator makes damaged streams and tries them.
type mutator struct {
	*trial
	sources []*recorded.Stream
	targets []*hub.Dialect
	until   time.Time
	next    atomic.Int64
	bytes   atomic.Int64
	most    atomic.Int64
	slowest atomic.Int64
}

func (m *mutator) work() {
	for time.Now().Before(m.until) && m.ctx.Err() == nil {
		m.try(m.next.Add(1) - 1)
	}
}

// Bounds of one damaged stream. Memory is that of all workers together, garbage included.
const (
	hangAfter  = 20 * time.Second
	maxHeap    = 1 << 30
	outputBase = 1 << 20
	// outputRate is how many bytes one byte of input may become: an empty record can become a whole record of a dialect
	// that repeats the envelope, and what was collected is written once more.
	outputRate = 400
)

// try tries stream n. One that hangs cannot be stopped; the program ends then.
func (m *mutator) try(n int64) {
	r := rand.New(rand.NewPCG(m.opt.seed, uint64(n)))
	source, target := m.sources[r.IntN(len(m.sources))], m.targets[r.IntN(len(m.targets))]
	body, how := mutate(r, source.Wire)
	cut := r.IntN(3) == 0
	name := fmt.Sprintf("-stream %d: %s to %s, %scut=%v", n, source.Name, target.Name, how, cut)
	m.bytes.Add(int64(len(body)))
	begun := time.Now()
	alarm := time.AfterFunc(hangAfter, func() { panic(name + " hangs") })
	err := m.translate(r, source, target, body, cut)
	alarm.Stop()
	if took := int64(time.Since(begun)); took > m.slowest.Load() {
		m.slowest.Store(took)
	}
	if err != nil {
		m.fault("%s: %v", name, err)
	}
}

// translate moves one stream and checks the laws.
func (m *mutator) translate(r *rand.Rand, source *recorded.Stream, target *hub.Dialect, body []byte, cut bool) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	c := engine.Config{
		From: source.Dialect, FromOptions: source.Options, To: target, ToOptions: target.Defaults(), Framing: source.Framing, EndGrace: source.Settle,
	}
	if source.Dialect == target {
		err := m.throughModel(c, body)
		return errors.Join(err, m.copied(r, c, body, cut))
	}
	return m.throughCodec(r, c, body, cut)
}

// throughCodec feeds a codec in pieces, and checks what comes out.
func (m *mutator) throughCodec(r *rand.Rand, c engine.Config, body []byte, cut bool) error {
	k := engine.NewCodec(c, wire.Auto)
	out, f := feedPieces(r, k, body, cut)
	if err := checkOutput(c.To, body, out); err != nil {
		return err
	}
	return checkEnding(c, body, out, f, cut)
}

func checkOutput(to *hub.Dialect, in, out []byte) error {
	if len(out) > outputBase+outputRate*len(in) {
		return fmt.Errorf("%d bytes became %d", len(in), len(out))
	}
	return validRecords(to, to.Framing, out)
}

// checkEnding is the law of honest endings: what has no end of its own is no success, whether it was cut, or closed in
// good order.
func checkEnding(c engine.Config, in, out []byte, f *hub.Failure, cut bool) error {
	if f == nil && !hasEnd(c, in, cut) {
		return fmt.Errorf("it has no end, and ends clean: %q", tail(string(out), 300))
	}
	return nil
}

// hasEnd reports whether the records of a stream tell its end, as its decoder alone says.
func hasEnd(c engine.Config, body []byte, cut bool) bool {
	dec := policy.NewDecoder(c.From, c.FromOptions)
	split := wire.NewSplitter(c.Framing, 0)
	found := false
	look := func(evs []hub.Event) {
		for i := range evs {
			found = found || evs[i].Kind == hub.RunEnd
		}
	}
	var cause error
	if cut {
		cause = hub.Fail(hub.CodeReset, nil)
	}
	for {
		rec, n, err := split.Split(body, !cut)
		if err != nil {
			if _, fatal := hub.FramingError(err); fatal {
				cause = err
				break
			}
		}
		if n == 0 {
			break
		}
		if rec.Data != nil {
			evs, _ := dec.Decode(nil, rec)
			look(evs)
		}
		body = body[n:]
	}
	look(dec.Finish(nil, cause))
	return found
}

// feedPieces feeds a codec as a socket would, and ends it: cut, or in good order.
func feedPieces(r *rand.Rand, k *engine.Codec, body []byte, cut bool) (out []byte, f *hub.Failure) {
	whole := r.IntN(2) == 0
	for have, used := 0, 0; ; {
		if whole {
			have = len(body)
		} else {
			have = min(len(body), have+1+r.IntN(1+len(body)/3))
		}
		end := have == len(body)
		for {
			n, err := k.Feed(body[used:have], end && !cut)
			out = append(out, k.Take()...)
			used += n
			if err != nil {
				if !errors.As(err, &f) {
					f = hub.Fail(hub.CodeMalformed, err)
				}
				f = k.Finish(f)
				return append(out, k.Take()...), f
			}
			if n == 0 {
				break
			}
		}
		if end {
			break
		}
	}
	if cut {
		f = hub.Fail(hub.CodeReset, nil)
	}
	f = k.Finish(f)
	return append(out, k.Take()...), f
}

// throughModel translates a dialect into itself.
func (m *mutator) throughModel(c engine.Config, body []byte) error {
	var out bytes.Buffer
	c.EndGrace = 0 // there is a clock here, which would be waited for
	if _, err := proxy.Translate(context.Background(), bytes.NewReader(body), &out, c, wire.Auto, engine.Observer{}); err != nil {
		return err
	}
	return checkOutput(c.To, body, out.Bytes())
}

// copied passes a stream on as it is: only the ending is Sabir's.
func (m *mutator) copied(r *rand.Rand, c engine.Config, body []byte, cut bool) error {
	k := engine.NewCodec(c, wire.Auto)
	out, _ := feedPieces(r, k, body, cut)
	if len(out) > outputBase+outputRate*len(body) {
		return fmt.Errorf("%d bytes were copied as %d", len(body), len(out))
	}
	return nil
}

// watchMemory looks at the heap of this process now and then.
func (m *mutator) watchMemory(ctx context.Context) {
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		heap := int64(s.HeapInuse)
		m.most.Store(max(heap, m.most.Load()))
		if heap > maxHeap {
			m.fault("the heap has grown to %s", mib(heap))
			return
		}
	}
}

// everyByte cuts recorded streams at every byte, for dialects of clients in turn; the short form at some of them.
func everyByte(t *trial) {
	const largest = 3 << 10
	m, targets := &mutator{trial: t}, writers()
	t.each(len(t.suite.streams), runtime.GOMAXPROCS(0), func(i int) {
		s := t.suite.streams[i]
		if len(s.Wire) == 0 || len(s.Wire) > largest || s.Dialect.NewDecoder == nil {
			return
		}
		for at := 0; at < len(s.Wire); at += t.pick(41, 1) {
			t.count(1)
			target := targets[(at+i)%len(targets)]
			r := rand.New(rand.NewPCG(t.opt.seed, uint64(at)))
			if err := m.translate(r, s, target, s.Wire[:at], true); err != nil {
				t.fault("%s cut before byte %d, to %s: %v", s.Name, at, target.Name, err)
			}
		}
	})
}

// unrecognised reads every recorded stream as every other dialect.
func unrecognised(t *trial) {
	target := dialect("agui")
	for _, s := range t.suite.streams {
		for _, d := range readers() {
			if len(s.Wire) == 0 || d == s.Dialect || d == target {
				continue
			}
			c := engine.Config{From: d, FromOptions: d.Defaults(), To: target, ToOptions: target.Defaults(), EndGrace: d.EndGrace}
			t.count(1)
			if recognised(d, s.Wire) {
				continue
			}
			if out, f := feedAll(engine.NewCodec(c, wire.Auto), s.Wire, nil); f == nil && isClean(readBack(target, out)) {
				t.fault("%s, read as %s: nothing of it is recognised, and it ends clean", s.Name, d.Name)
			}
		}
	}
}

// recognised reports whether a decoder makes something of a stream that is more than a record that it does not know.
func recognised(d *hub.Dialect, body []byte) bool {
	dec, split := policy.NewDecoder(d, d.Defaults()), wire.NewSplitter(wire.Auto, 0)
	for {
		rec, n, err := split.Split(body, true)
		if err != nil || n == 0 {
			return false
		}
		if rec.Data != nil {
			evs, _ := dec.Decode(nil, rec)
			for i := range evs {
				if evs[i].Kind != hub.Raw {
					return true
				}
			}
		}
		body = body[n:]
	}
}
