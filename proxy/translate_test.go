package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

var offline = engine.Config{From: &native.Dialect, To: &twin}

// TestTranslate moves a recorded stream, and tells what it saw.
func TestTranslate(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var seen []string
	o := engine.Observer{
		Record:     func(rec wire.Record) { seen = append(seen, "record") },
		Decoded:    func(ev *hub.Event) { seen = append(seen, "loose "+ev.Kind.String()) },
		Normalized: func(ev *hub.Event, disposition hub.Disposition) { seen = append(seen, "strict "+ev.Kind.String()) },
		Fault:      func(e *hub.Error) { seen = append(seen, e.Error()) },
		Done:       func() { seen = append(seen, "done") },
	}
	in := lines(lineStart, "{broken", lineEnd)
	got, err := Translate(context.Background(), strings.NewReader(in), &out, offline, wire.SSE, o)
	if err != nil || got.Ending != hub.StatusDone || got.Failure != nil || got.Records != 3 || got.EventsIn != 2 || got.EventsOut != 2 || got.Faults != 1 ||
		got.Dispositions[hub.RunEnd][hub.Native] != 1 {
		t.Errorf("%+v %v", got, err)
	}
	if want := framed("sse", `{"kind":"run.start","seq":1,"id":"r1"}`, `{"kind":"run.end","status":"done","seq":2}`); out.String() != want {
		t.Errorf("got %s", out.String())
	}
	want := "record|loose run.start|strict run.start|done|record|native record 2, byte 32: syntax: " +
		"|done|record|loose run.end|strict run.end|done|done"
	flat := strings.Join(seen, "|")
	if at := strings.Index(flat, "syntax: "); at >= 0 { // the words are those of the decoder
		rest := flat[at+len("syntax: "):]
		flat = flat[:at+len("syntax: ")] + rest[strings.IndexByte(rest, '|'):]
	}
	if flat != want {
		t.Errorf("seen\n%s, want\n%s", flat, want)
	}
}

// TestTranslateCut ends what was recorded only in part.
func TestTranslateCut(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	in := io.MultiReader(strings.NewReader(lineStart+"\n"), failing{})
	got, err := Translate(context.Background(), in, &out, offline, wire.Auto, engine.Observer{})
	if err != nil || got.Ending != hub.StatusTruncated || got.Failure == nil || got.Failure.Code != hub.CodeReset || !strings.Contains(out.String(), "run.end") {
		t.Errorf("%+v %v %s", got, err, out.String())
	}
	out.Reset()
	got, err = Translate(context.Background(), strings.NewReader(""), &out, offline, wire.Auto, engine.Observer{})
	if err != nil || got.Failure == nil || got.Failure.Code != hub.CodeTruncated || !strings.Contains(out.String(), "run.end") {
		t.Errorf("%+v %v %s", got, err, out.String())
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is broken") }

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestTranslateCannotWrite returns why.
func TestTranslateCannotWrite(t *testing.T) {
	t.Parallel()
	_, err := Translate(context.Background(), strings.NewReader(smallRun), failing{}, offline, wire.Auto, engine.Observer{})
	if err == nil || err.Error() != "the disk is full" {
		t.Errorf("got %v", err)
	}
}

// TestTranslateStops although its input does not end.
func TestTranslateStops(t *testing.T) {
	t.Parallel()
	for _, closes := range []bool{true, false} {
		r, w := io.Pipe()
		var in io.Reader = r
		if !closes {
			in = struct{ io.Reader }{r}
		}
		ctx, cancel := context.WithCancel(context.Background())
		seen := make(chan struct{})
		go func() {
			_, _ = io.WriteString(w, lineStart+"\n")
			<-seen
			cancel()
		}()
		var out bytes.Buffer
		got, err := Translate(ctx, in, &out, offline, wire.Auto, engine.Observer{Record: func(wire.Record) { close(seen) }})
		if err != nil || got.Failure == nil || got.Failure.Code != hub.CodeShutdown || !strings.Contains(out.String(), "shutting_down") {
			t.Errorf("%+v %v %s", got, err, out.String())
		}
		w.Close()
	}
}

// pieces are what is written, each as it came.
type pieces []string

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, string(b))
	return len(b), nil
}

// TestEndOfOutput: the last piece is written whatever its length, and an empty one is none.
func TestEndOfOutput(t *testing.T) {
	t.Parallel()
	var got pieces
	sink := &writerSink{w: &got}
	for _, text := range []string{"", "x", "yz"} {
		if err := sink.end(&wire.Out{Buf: []byte(text)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, []string{"x", "yz"}) {
		t.Errorf("%q was written", got)
	}
}
