package bench

import (
	"fmt"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Check says what is wrong with body, which should be a finished run in dialect d whose answer is the marks of count
// deltas that rise by step. It reads the body as a client would: split, decoded, sequenced.
func Check(d *hub.Dialect, body []byte, count int, step uint32) error {
	r := reader{dec: d.NewDecoder(d.Defaults()), seq: hub.NewSequencer(hub.SequencerConfig{})}
	split := wire.NewSplitter(wire.Auto, 0)
	for rest := body; ; {
		rec, n, err := split.Split(rest, true)
		if err != nil {
			return fmt.Errorf("byte %d of the body: %w", len(body)-len(rest), err)
		}
		if n == 0 {
			break
		}
		rest = rest[n:]
		if rec.Data == nil {
			continue
		}
		if err := r.record(rec); err != nil {
			return fmt.Errorf("record %q: %w", rec.Data, err)
		}
	}
	r.take(r.seq.Push(nil, r.dec.Finish(nil, nil), 0))
	r.take(r.seq.Flush(nil, nil))
	if r.end != hub.StatusDone {
		return fmt.Errorf("the run ended as %q, want %q", r.end, hub.StatusDone)
	}
	return CheckMarks(r.text, count, step)
}

// reader collects what a client understands of a stream.
type reader struct {
	dec  hub.Decoder
	seq  *hub.Sequencer
	text []byte
	end  hub.Status
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
		switch ev := &strict[i]; {
		case ev.Kind == hub.TextDelta && ev.Chan == hub.AnswerText:
			r.text = append(r.text, ev.Text...)
		case ev.Kind == hub.RunEnd:
			r.end = ev.Status
		}
	}
}
