package main

import "time"

// Targets. What copies bytes does no more, whatever the pair.
const (
	direct  = "direct"
	raw     = "raw"
	reverse = "reverse"
	splice  = "splice"
	nginx   = "nginx"
	sabir   = "sabir"
	upkept  = "sabir, reloaded and scraped"
)

// addFlowing measures every pair beside its splice; copies beside a reverse proxy of the same bytes.
func (p *plan) addFlowing(mode string) error {
	c := call{events: or(p.o.events, 500), segmented: mode == segmented}
	base := cell{Mode: mode, Streams: or(p.o.streams, 64), call: c, d: or(p.o.duration, brief(p, time.Second, 300*time.Millisecond))}
	first, err := p.first()
	if err != nil {
		return err
	}
	p.add(base, direct, first)
	p.add(base, raw, first)
	p.addNginx(base, first)
	for _, pr := range p.pairs {
		if pr.from == pr.to {
			p.add(base, reverse, pr)
		} else if _, ok := splicePair(pr); ok {
			p.add(base, splice, pr)
		}
		p.add(base, sabir, pr)
	}
	return nil
}

// addNginx adds nginx where peers are measured.
func (p *plan) addNginx(base cell, pr pair) {
	if p.o.peers {
		p.add(base, nginx, pr)
	}
}

// addThrough measures the first pair, and a copy, beside what passes bytes through: where little happens, pairs do not
// differ.
func (p *plan) addThrough(base cell, floors ...string) error {
	first, err := p.first()
	if err != nil {
		return err
	}
	for _, name := range floors {
		p.add(base, name, first)
	}
	p.addNginx(base, first)
	p.add(base, sabir, first)
	if first.from != first.to {
		p.add(base, sabir, pair{first.from, first.from})
	}
	return nil
}

func (p *plan) pacedCell(mode string) cell {
	c := call{interval: time.Duration(float64(time.Second) / p.o.rate)}
	return cell{Mode: mode, Streams: or(p.o.streams, brief(p, 500, 200)), call: c, d: or(p.o.duration, brief(p, 10*time.Second, 3*time.Second))}
}

func (p *plan) addPaced() error {
	if p.o.over != "" {
		return p.addThrough(p.pacedCell(paced))
	}
	return p.addThrough(p.pacedCell(paced), direct, raw, reverse)
}

// addUpkeep measures paced streams with and without an operator.
func (p *plan) addUpkeep() error {
	first, err := p.first()
	if err != nil {
		return err
	}
	base := p.pacedCell(upkeep)
	p.add(base, direct, first)
	p.add(base, sabir, first)
	p.add(base, upkept, first)
	return nil
}

func (p *plan) addSlow() error {
	streams := streamsFor(p.files, or(p.o.streams, brief(p, 10_000, 1000)))
	c := call{interval: time.Second}
	return p.addThrough(cell{Mode: slow, Streams: streams, call: c, d: or(p.o.duration, brief(p, 10*time.Second, 2*time.Second))}, raw, reverse)
}

// addCount measures the same stream, one at a time up to very many at the same time, beside a splice: sockets have their
// price too. Streams are long, so that opening them does not count.
func (p *plan) addCount() error {
	first, err := p.first()
	if err != nil {
		return err
	}
	const most = 9000 // the splice keeps files for connections that it may use again
	for _, streams := range brief(p, []int{1, 10, 100, 1000, most}, []int{1, 10, 100, 1000}) {
		c := call{events: or(p.o.events, brief(p, 3000, 500))}
		base := cell{Mode: count, Streams: streamsFor(p.files, streams), call: c, d: or(p.o.duration, brief(p, 2*time.Second, 500*time.Millisecond))}
		if _, ok := splicePair(first); ok {
			p.add(base, splice, first)
		}
		p.add(base, sabir, first)
	}
	return nil
}

// together is how many streams of growing length are measured at the same time.
const together = 4

func (p *plan) addLength() error {
	for _, names := range brief(p, [][2]string{{"evolve", "agui"}, {"openai-chat", "anthropic"}}, [][2]string{{"evolve", "agui"}}) {
		pr, err := newPair(names[0], names[1])
		if err != nil {
			return err
		}
		for _, events := range brief(p, []int{100, 1000, 10_000, 100_000, 1_000_000}, []int{100, 10_000, 100_000}) {
			p.add(cell{Mode: length, Streams: together, call: call{events: events}, d: or(p.o.duration, 500*time.Millisecond)}, sabir, pr)
		}
	}
	return nil
}

// argsFragment is the size of one fragment of arguments, in bytes.
const argsFragment = 48

// addArguments takes dialects that write each fragment as it comes.
func (p *plan) addArguments() error {
	const kb, mb = 1000, 1_000_000
	for _, names := range brief(p, [][2]string{{"agui", "aisdk"}, {"aisdk", "agui"}}, [][2]string{{"agui", "aisdk"}}) {
		pr, err := newPair(names[0], names[1])
		if err != nil {
			return err
		}
		for _, bytes := range brief(p, []int{kb, 100 * kb, mb, 10 * mb, 50 * mb}, []int{kb, 100 * kb, mb}) {
			c := call{events: max(2, bytes/argsFragment), args: true}
			p.add(cell{Mode: arguments, Streams: 1, Bytes: bytes, call: c, d: or(p.o.duration, 500*time.Millisecond)}, sabir, pr)
		}
	}
	return nil
}

func (p *plan) addCancel() error {
	streams := streamsFor(p.files, or(p.o.streams, brief(p, 10_000, 1000)))
	return p.addThrough(cell{Mode: cancel, Streams: streams, call: call{events: 2}, d: or(p.o.duration, brief(p, 5*time.Second, time.Second))}, reverse)
}

// addSize looks at the proxy without any stream.
func (p *plan) addSize() error {
	first, err := p.first()
	p.add(cell{Mode: size, d: or(p.o.duration, time.Second)}, sabir, first)
	return err
}

// addCodec measures the codec alone, by the benchmarks of package bench.
func (p *plan) addCodec() error {
	for _, pr := range p.pairs {
		if pr.from != pr.to {
			p.add(cell{Mode: codec, d: or(p.o.duration, brief(p, 200*time.Millisecond, 50*time.Millisecond))}, sabir, pr)
		}
	}
	return nil
}

// addProfile takes a profile of flowing streams and one of paced.
func (p *plan) addProfile() error {
	first, err := p.first()
	base := p.pacedCell(profileMode)
	base.d = or(p.o.duration, brief(p, 5*time.Second, time.Second))
	p.add(base, sabir, first)
	base.call, base.Streams = call{events: or(p.o.events, 500)}, or(p.o.streams, 64)
	p.add(base, sabir, first)
	return err
}
