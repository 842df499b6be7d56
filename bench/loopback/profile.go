package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// profile says where the CPU time of the proxy went.
type profile struct {
	Title  string  `json:"title"`
	Shares []share `json:"shares"` // the largest first; they add up to about 100
}

// share is a part of the time, in percent.
type share struct {
	Name    string  `json:"name"`
	Percent float64 `json:"percent"`
}

// profile runs streams through a proxy that is profiled, and reads the profile.
func (g *rig) profile(ctx context.Context, c *cell) (sample, error) {
	g.stopKey(sabir)
	file := g.profileName(flowing)
	if c.call.interval > 0 {
		file = g.profileName(paced)
	}
	ch, err := g.startSabir(ctx, file)
	if err != nil {
		return sample{}, err
	}
	t := target{name: sabir, addr: ch.addr, path: "/" + c.From + "/" + c.To, answer: c.pair.to, pid: ch.pid()}
	m := func() *meter { return newMeter(t.pid, g.processes()) }
	var s sample
	if c.call.interval > 0 {
		pc := newPacing(c.Streams, c.call.interval, c.d)
		one := c.call
		one.events, one.base = pc.events(one.interval), time.Now().UnixMicro()
		s = pace(ctx, t, one, pc, 0, m, runtime.NumCPU())
	} else {
		s = flow(ctx, t, &judge{dialect: t.answer, call: c.call}, c.Streams, c.d, m, runtime.NumCPU())
	}
	ch.stop() // writes the profile
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", file).Output()
	if err != nil {
		return s, fmt.Errorf("cannot read the profile: %w", err)
	}
	title := fmt.Sprintf("%s, flowing, %d streams", c.stream(), c.Streams)
	if c.call.interval > 0 {
		title = fmt.Sprintf("%s, paced, %d streams", c.stream(), c.Streams)
	}
	g.profiles = append(g.profiles, profile{title, shares(out)})
	return s, ctx.Err()
}

// parts name what a function belongs to, by a part of its name; the first that fits counts.
var parts = []struct{ name, contains string }{
	{"system calls", "syscall"}, {"system calls", "runtime/internal/syscall"}, {"system calls", "epoll"},
	{"reading JSON", "sonic"}, {"reading JSON", "rawjson"}, {"reading JSON", "unicode/utf8"}, {"reading JSON", "jit"}, {"reading JSON", "native_"},
	{"framing: records, chunks, HTTP", "adapters/wire"}, {"framing: records, chunks, HTTP", "fasthttp"}, {"framing: records, chunks, HTTP", "chunk"},
	{"framing: records, chunks, HTTP", "bufio"}, {"framing: records, chunks, HTTP", "bytealg"}, {"framing: records, chunks, HTTP", "net/"},
	{"copying and comparing", "memmove"}, {"copying and comparing", "memclr"}, {"copying and comparing", "memequal"},
	{"copying and comparing", "bytes."}, {"copying and comparing", "slices."},
	{"sequencer and stages", "adapters/hub"},
	{"decoder and encoder", "sabir/adapters/"},
	{"the proxy: pump, counters", "sabir/proxy"}, {"the proxy: pump, counters", "prometheus"},
	{"memory: allocation, collection", "runtime.gc"}, {"memory: allocation, collection", "malloc"}, {"memory: allocation, collection", "runtime.scan"},
	{"memory: allocation, collection", "runtime.(*m"}, {"memory: allocation, collection", "runtime.grey"}, {"memory: allocation, collection", "sweep"},
	{"network runtime: poller, deadlines", "internal/poll"}, {"network runtime: poller, deadlines", "netpoll"},
	{"network runtime: poller, deadlines", "net.("}, {"network runtime: poller, deadlines", "timer"},
	{"scheduler and clocks", "runtime."}, {"scheduler and clocks", "time."}, {"scheduler and clocks", "sync"},
}

// shares adds up the flat column of pprof's text by the parts of the program.
func shares(top []byte) []share {
	sums, begun := map[string]float64{}, false
	for lines := bufio.NewScanner(bytes.NewReader(top)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) > 1 && fields[0] == "flat" {
			begun = true
			continue
		}
		if !begun || len(fields) < 6 {
			continue
		}
		percent, err := strconv.ParseFloat(strings.TrimSuffix(fields[1], "%"), 64)
		if err == nil {
			sums[partOf(strings.Join(fields[5:], " "))] += percent
		}
	}
	var all []share
	for name, percent := range sums {
		all = append(all, share{name, percent})
	}
	slices.SortFunc(all, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.Percent, a.Percent), strings.Compare(a.Name, b.Name))
	})
	return all
}

func partOf(function string) string {
	for _, p := range parts {
		if strings.Contains(strings.ToLower(function), p.contains) {
			return p.name
		}
	}
	return "all else"
}
