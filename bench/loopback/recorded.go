package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/bench"
)

// recordings are streams of real agent servers, and what their clients speak.
var recordings = []struct{ from, name, to string }{
	{"agui", "pydantic-ai-2.68.0", "aisdk"},
	{"agui", "mastra-1.71.0", "agui"},
	{"aisdk", "mastra-1.71.0", "agui"},
	{"aisdk", "openai-agents-0.18.0", "agui"},
	{"acp", "recorded-claude-agent-acp-0.100.0", "agui"},
	{"langgraph", "python-0.16.7-messages", "agui"},
	{"langgraph", "python-0.16.7-tuple", "aisdk"},
	{"a2a", "recorded-1.0", "agui"},
}

// addRecorded measures streams that were recorded, copies beside a reverse proxy of the same bytes. What is not a delta
// has its share of them.
func (p *plan) addRecorded() (err error) {
	if p.dialects, err = dialectsFolder(); err != nil {
		return err
	}
	for _, r := range recordings {
		pr, err := newPair(r.from, r.to)
		if err != nil {
			return err
		}
		rec, err := bench.LoadRecording(p.dialects, pr.from, r.name)
		if err != nil {
			return fmt.Errorf("recording %s of %s: %w", r.name, r.from, err)
		}
		base := cell{
			Mode: recorded, Recorded: r.name, Streams: or(p.o.streams, 64), recorded: rec, call: call{events: len(rec.Pieces), recording: r.name},
			d: or(p.o.duration, brief(p, time.Second, 300*time.Millisecond)),
		}
		p.add(base, reverse, pr)
		p.add(base, sabir, pr)
	}
	return nil
}

// addShapes measures streams as servers really write them, beside a reverse proxy of the same bytes. Their clients take parts side
// by side, so that what they read can be compared.
func (p *plan) addShapes(mode string) error {
	for _, d := range adapters.All() {
		to := "agui"
		if d.Name == to {
			to = "native"
		}
		for _, shape := range bench.Shapes(d) {
			pr, err := newPair(d.Name, to)
			if err != nil {
				return err
			}
			name := bench.ShapePrefix + string(shape)
			rec, err := bench.LoadRecording("", d, name)
			if err != nil {
				return err
			}
			base := cell{
				Mode: mode, Streams: or(p.o.streams, 64), recorded: rec, call: call{events: len(rec.Pieces), segmented: mode == shapesSegmented},
				d: or(p.o.duration, brief(p, time.Second, 300*time.Millisecond)),
			}
			if mode == shapesPaced {
				base = p.pacedCell(mode)
				p.addNginx(base.ofRecording(name), pr)
			}
			base = base.ofRecording(name)
			p.add(base, reverse, pr)
			p.add(base, sabir, pr)
		}
	}
	return nil
}

// ofRecording is the cell with a stream of a real server.
func (c cell) ofRecording(name string) cell {
	c.Recorded, c.call.recording = name, name
	return c
}

// dialectsFolder asks where the packages of the dialects are.
func dialectsFolder() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/sabir-proxy/sabir/adapters").Output()
	if err != nil {
		return "", fmt.Errorf("cannot find the recordings (run this from the repository): %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
