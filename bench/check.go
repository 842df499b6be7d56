package bench

import (
	"bytes"
	"fmt"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Check says what is wrong with body, which should be a finished run in dialect d whose answer is the marks of count
// deltas that rise by step. It reads the body as a client would: split, decoded, sequenced.
func Check(d *hub.Dialect, body []byte, count int, step uint32) error {
	r, err := read(d, body)
	if err != nil {
		return err
	}
	if r.end != hub.StatusDone {
		return fmt.Errorf("the run ended as %q, want %q", r.end, hub.StatusDone)
	}
	return CheckMarks(r.text, count, step)
}

// CheckShape says what is wrong with body, which should be a run with so many deltas in dialect d, in whichever parts they stand.
func CheckShape(d *hub.Dialect, body []byte, count int, step uint32) error {
	r, err := read(d, body)
	if err != nil {
		return err
	}
	if r.end != hub.StatusDone && r.end != hub.StatusTools {
		return fmt.Errorf("the run ended as %q, want %q", r.end, hub.StatusDone)
	}
	return CheckMarks(r.marks, count, step)
}

// CheckArgs says what is wrong with body, which should be the run of [ArgsEvents] with so many fragments in dialect d.
func CheckArgs(d *hub.Dialect, body []byte, count int) error {
	r, err := read(d, body)
	if err != nil {
		return err
	}
	if r.end != hub.StatusDone && r.end != hub.StatusTools {
		return fmt.Errorf("the run ended as %q, want %q", r.end, hub.StatusTools)
	}
	args, head := bytes.CutPrefix(r.args, []byte(argsHead))
	args, tail := bytes.CutSuffix(args, []byte(argsTail))
	if !head || !tail {
		return fmt.Errorf("the arguments begin or end wrongly: %.40q", r.args)
	}
	return CheckMarks(args, count*ArgsMarks, 1)
}

// read reads a body to its end.
func read(d *hub.Dialect, body []byte) (*reader, error) {
	r := &reader{dec: d.NewDecoder(d.Defaults()), seq: sequencer.New(sequencer.Config{})}
	const largest = 128 << 20 // some dialects say all of a tool's arguments again when they are complete
	split := wire.NewSplitter(wire.Auto, largest)
	for rest := body; ; {
		rec, n, err := split.Split(rest, true)
		if err != nil {
			return nil, fmt.Errorf("byte %d of the body: %w", len(body)-len(rest), err)
		}
		if n == 0 {
			break
		}
		rest = rest[n:]
		if rec.Data == nil {
			continue
		}
		if err := r.record(rec); err != nil {
			return nil, fmt.Errorf("record %q: %w", rec.Data, err)
		}
	}
	r.take(r.seq.Push(nil, r.dec.Finish(nil, nil), 0))
	r.take(r.seq.Flush(nil, nil))
	return r, nil
}

// reader collects what a client understands of a stream.
type reader struct {
	dec   hub.Decoder
	seq   *sequencer.Sequencer
	text  []byte
	args  []byte // of all tools
	marks []byte // of all deltas, in their order
	end   hub.Status
}

func (r *reader) record(rec wire.Record) error {
	loose, err := r.dec.Decode(nil, rec)
	if err != nil {
		return err
	}
	r.take(r.seq.Push(nil, loose, 0))
	return nil
}

func (r *reader) take(strict []hub.Event) {
	for i := range strict {
		ev := &strict[i]
		if (ev.Kind == hub.TextDelta || ev.Kind == hub.ToolArgs) && FindMark(ev.Text) == 0 {
			r.marks = append(r.marks, ev.Text...)
		}
		switch {
		case ev.Kind == hub.TextDelta && ev.Chan == hub.AnswerText:
			r.text = append(r.text, ev.Text...)
		case ev.Kind == hub.ToolArgs:
			r.args = append(r.args, ev.Text...)
		case ev.Kind == hub.RunEnd:
			r.end = ev.Status
		}
	}
}
