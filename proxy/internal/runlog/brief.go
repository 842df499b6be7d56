package runlog

import (
	"reflect"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// brief is a run of which nothing is known but its names, how it ended and what it used. Most are such, where what was said stands in their
// conversation; a [Run] is five times as large.
type brief struct {
	id, model            string
	began, changed, time int64
	size                 int
	used                 *counts // nil: nothing
	ended                bool
	status               hub.Status
}

// counts are those of tokens. Others have more.
type counts struct{ in, out, total, cached, cacheWrite, reasoning int64 }

// briefOf returns the short form of a run, nil if that would lose something.
func briefOf(run *Run) *brief {
	b := &brief{
		id: string(run.ID), model: string(run.Model), began: run.Began, changed: run.Changed, time: run.Time,
		size: run.Size, ended: run.Ended, status: run.Status,
	}
	if u := &run.Usage; !reflect.DeepEqual(*u, hub.NoCounts) {
		b.used = &counts{u.In, u.Out, u.Total, u.Cached, u.CacheWrite, u.ReasoningTokens}
	}
	if again := b.run(run.Thread); !reflect.DeepEqual(again, *run) {
		return nil
	}
	return b
}

// run is the run of a conversation again.
func (b *brief) run(thread string) Run {
	run := Run{Thread: thread, Size: b.size, PastRun: hub.PastRun{Began: b.began, Changed: b.changed}}
	run.ID, run.Run.Thread, run.Model = slice(b.id), slice(thread), slice(b.model)
	run.Time, run.Ended, run.Status, run.Usage = b.time, b.ended, b.status, hub.NoCounts
	if u := b.used; u != nil {
		run.Usage.In, run.Usage.Out, run.Usage.Total = u.in, u.out, u.total
		run.Usage.Cached, run.Usage.CacheWrite, run.Usage.ReasoningTokens = u.cached, u.cacheWrite, u.reasoning
	}
	return run
}

func slice(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}
