package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
)

// begunRun is a run that clients can come to.
func begunRun(grace time.Duration) (runs *sharedRuns, run *sharedRun, r *rig) {
	m := newMetrics("test")
	runs = new(sharedRuns)
	runs.Limit(1 << 20)
	about := &shared{canceler: new(canceler), metrics: m.forRoute("/run"), grace: grace}
	return runs, runs.Begin(about, 1<<20, false, eventlog.Key{Kind: byToken, Name: "r"}), &rig{Server: &Server{metrics: m}}
}

// TestReadersOfARun: a run ends when its last client has been away for as long as it may, and in no other case.
func TestReadersOfARun(t *testing.T) {
	t.Parallel()
	const grace = time.Second // far longer than what is done in one go takes
	for name, c := range map[string]struct {
		do                string // what happens, in its order
		owner             string // the replica that has it
		later             bool
		watched, ends     bool
		returned, expired float64
	}{
		"one of two leaves":             {do: "enter enter leave", watched: true},
		"both leave":                    {do: "enter enter leave leave", ends: true, expired: 1},
		"one comes back":                {do: "enter leave enter", watched: true, returned: 1},
		"one comes back, and leaves":    {do: "enter leave enter leave", ends: true, returned: 1, expired: 1},
		"it has ended":                  {do: "enter end leave"},
		"it ends meanwhile":             {do: "enter leave end", ends: true}, // which ends nothing any more
		"another replica has it":        {do: "enter leave", owner: "other"},
		"its answer is asked for later": {do: "enter leave", later: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, run, r := begunRun(grace)
			r.t = t
			run.About.owner, run.About.later = c.owner, c.later
			for what := range strings.FieldsSeq(c.do) {
				switch what {
				case "enter":
					run.About.enter(run.Log)
				case "leave":
					run.About.leave(run.Log)
				case "end":
					run.Log.End(nil)
				}
			}
			if got := run.About.watched(); got != c.watched {
				t.Errorf("watched is %t", got)
			}
			if c.ends {
				await(t, "the end", func() bool { return run.About.canceler.Failure() != nil })
				if f := run.About.canceler.Failure(); f.Code != hub.CodeRunUnread {
					t.Errorf("it ends with %v", f)
				}
			} else {
				time.Sleep(grace + grace/2)
				if f := run.About.canceler.Failure(); f != nil {
					t.Errorf("it ends with %v", f)
				}
			}
			returned, expired := r.metric("sabir_resume_grace_total", "end=returned"), r.metric("sabir_resume_grace_total", "end=expired")
			if returned != c.returned || expired != c.expired {
				t.Errorf("%v returned, %v expired", returned, expired)
			}
		})
	}
}

// TestReadersElsewhere: while a run has clients at another replica, the time without one here begins anew.
func TestReadersElsewhere(t *testing.T) {
	t.Parallel()
	for grace := 120 * time.Millisecond; ; grace *= 4 {
		_, run, _ := begunRun(grace)
		run.About.stay() // nothing to put off
		run.About.enter(run.Log)
		run.About.stay()
		run.About.leave(run.Log)
		for range 6 {
			time.Sleep(grace / 4)
			run.About.stay()
		}
		stayed := time.Now()
		if run.About.canceler.Failure() != nil && grace < testTimeout/8 { // the machine is busy: it was late to say so
			continue
		}
		await(t, "the end", func() bool { return run.About.canceler.Failure() != nil })
		if took := time.Since(stayed); took < grace/2 {
			t.Errorf("it ended %v after there were clients elsewhere", took)
		}
		return
	}
}

// TestEndOfALog: a run that has failed before its first record has the failure for an end, and one that has said it, none beside.
func TestEndOfALog(t *testing.T) {
	t.Parallel()
	failed, unsaid := hub.Fail(hub.CodeReset, nil), hub.Fail(hub.CodeTruncated, nil)
	for name, c := range map[string]struct {
		began   bool
		records int
		f       *hub.Failure
		copied  *engine.Copier
		want    *hub.Failure
		said    string
	}{
		"done":                     {true, 0, nil, nil, nil, "end"},
		"done without a record":    {false, 0, nil, nil, nil, "end"},
		"failed":                   {true, 0, failed, nil, nil, "end"},
		"failed at once":           {false, 0, failed, nil, failed, ""},
		"failed with one record":   {false, 1, failed, nil, nil, "end"},
		"failed in a copied one":   {true, 1, failed, &engine.Copier{Unsaid: unsaid}, unsaid, "end"},
		"said in a copied one":     {true, 1, failed, &engine.Copier{}, nil, "end"},
		"copied, failed at once":   {false, 0, failed, &engine.Copier{Unsaid: unsaid}, failed, ""},
		"copied, done":             {true, 1, nil, &engine.Copier{}, nil, "end"},
		"copied, done, but unsaid": {false, 0, nil, &engine.Copier{Unsaid: unsaid}, unsaid, "end"},
	} {
		_, run, _ := begunRun(time.Minute)
		reader, err := run.Log.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		sink := &logSink{log: run.Log, began: c.began, copied: c.copied}
		if err := sink.end(&wire.Out{Buf: []byte("end"), Records: c.records}, c.f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var said []byte
		for err == nil {
			var p []byte
			p, err = reader.Next()
			said = append(said, p...)
		}
		var end *hub.Failure
		if !errors.As(err, &end) && !errors.Is(err, io.EOF) {
			t.Errorf("%s: it ends with %v", name, err)
		}
		if end != c.want || sink.failed != c.want || string(said) != c.said {
			t.Errorf("%s: %q, then %v, and %v is noted", name, said, end, sink.failed)
		}
	}
}
