package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
)

func isolationAttacks() []*attack {
	return []*attack{{
		name:  "isolation/markers",
		tries: "streams of every pair of dialects at the same time, each with markers of its own in its texts; some are cut, some cancelled, some large",
		holds: "no marker of one stream is ever in another; whole streams have all of theirs, once and in order",
		run:   isolation,
		alone: true,
		limit: 8 * time.Minute,
	}}
}

// marked is a stream with markers.
type marked struct {
	pair
	id    int64
	texts []string // one marker each
	want  string   // all markers, in order
	cut   int      // 0: whole; 1: the upstream cuts it; 2: the client leaves
}

var marker = regexp.MustCompile(`mk([0-9a-f]{8})x(\d+)z`)

// isolation keeps many marked streams going until enough markers were seen.
func isolation(t *trial) {
	pairs := allPairs()
	r, err := t.suite.newRig(pairs, processOptions{})
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer r.close()
	t.rig = r
	c, err := r.startCanary()
	if err != nil {
		t.fault("%v", err)
		return
	}
	const perStream = 48
	enough := int64(t.pick(12_000, 160_000))
	var next, seen, whole, ended atomic.Int64
	var all sync.WaitGroup
	for range 48 {
		all.Go(func() {
			for seen.Load() < enough && t.ctx.Err() == nil {
				n := next.Add(1)
				m := newMarked(t.opt.seed, n, pairs[int(n)%len(pairs)], perStream)
				seen.Add(int64(t.follow(m)))
				ended.Add(1)
				if m.cut == 0 {
					whole.Add(1)
				}
			}
		})
	}
	all.Wait()
	c.judge(t)
	t.count(int(seen.Load()))
	t.figure("markers", "%d", seen.Load())
	t.figure("streams", "%d, of which %d whole, of %d pairs", ended.Load(), whole.Load(), len(pairs))
	if _, bug, found := strings.Cut(r.process.log.all(), "BUG"); found {
		t.fault("the log tells of a fault of its own: %s", clip(bug, 1000))
	}
}

// allPairs is every reader with every writer, as far as text goes both ways.
func allPairs() (all []pair) {
	for _, from := range adapters.All() {
		if from.NewEncoder == nil || from.NewDecoder == nil {
			continue
		}
		for _, to := range writers() {
			all = append(all, pair{from.Name, to.Name})
		}
	}
	return all
}

// newMarked makes stream n; all of it depends on the seed and on n.
func newMarked(seed uint64, n int64, p pair, count int) *marked {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	m := &marked{pair: p, id: n, cut: max(0, r.IntN(8)-5)}
	filler := ""
	if r.IntN(6) == 0 {
		filler = strings.Repeat("large ", 200+r.IntN(2000))
	}
	for i := range count {
		mark := fmt.Sprintf("mk%08xx%dz", n, i)
		m.texts = append(m.texts, mark+" "+filler)
		m.want += mark
	}
	return m
}

// follow moves one marked stream and returns how many markers arrived.
func (t *trial) follow(m *marked) int {
	body := speak(m.from, m.texts...)
	s := t.rig.agent.add(func(p *peer) {
		r := rand.New(rand.NewPCG(t.opt.seed+1, uint64(m.id)))
		p.ok()
		end := len(body)
		if m.cut == 1 {
			end = len(body) / 2
		}
		for at := 0; at < end && p.err == nil; {
			n := min(end-at, 1+r.IntN(8<<10))
			p.chunk(body[at : at+n])
			at += n
			if r.IntN(4) == 0 {
				time.Sleep(time.Duration(r.IntN(4)) * time.Millisecond)
			}
		}
		if m.cut == 1 {
			p.reset()
			return
		}
		p.chunk("")
		p.keep = true
	})
	defer s.remove()
	got := t.readMarked(m, s)
	found := marker.FindAllStringSubmatch(got, -1)
	var mine strings.Builder
	own := fmt.Sprintf("%08x", m.id)
	for _, f := range found {
		if f[1] != own {
			t.fault("stream %s, %s, has the marker %s of another", own, m.pair, f[0])
		}
		mine.WriteString(f[0])
	}
	// A dialect may send the whole text once more at its end.
	if m.cut == 0 && !strings.HasPrefix(mine.String(), m.want) {
		t.fault("stream %s, %s, ended well, and has %d of %d markers, or in another order: %q", own, m.pair, len(found), len(m.texts), clip(got, 200))
	}
	return len(found)
}

// readMarked is what the client reads of a stream.
func (t *trial) readMarked(m *marked, s *script) string {
	conn, err := dialPatiently(t.rig.process.addr)
	if err != nil {
		t.fault("%v", err)
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerLimit))
	_, _ = io.WriteString(conn, request("POST", byHTTP+m.String()+"?script="+s.id, t.rig.process.addr, fmt.Sprintf("marked-%d", m.id), streamWanted))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.fault("stream of %s: %v", m.pair, err)
		return ""
	}
	defer resp.Body.Close()
	var from io.Reader = resp.Body
	if m.cut == 2 {
		from = io.LimitReader(resp.Body, 2000)
	}
	body, err := io.ReadAll(from)
	if err != nil {
		t.fault("stream of %s: %v", m.pair, err)
	}
	return string(body)
}
