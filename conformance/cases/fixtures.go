package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// fixture is one file of a dialect's testdata; package adaptertest says what it may hold.
type fixture struct {
	name    string // dialect/file
	dialect *hub.Dialect
	options hub.Options
	raw     map[string]string // options as the fixture says them
	framing wire.Framing
	settle  time.Duration
	wire    []byte // nil: the fixture begins with events

	loose []hub.Event // in memory of their own
	cause error       // of the end of the wire
}

// load reads the fixtures of all dialects, in the order of the registry and of their names.
func load(root string) (all []*fixture, err error) {
	for _, d := range adapters.All() {
		paths, err := filepath.Glob(filepath.Join(root, "adapters", strings.ReplaceAll(d.Name, "-", ""), "testdata", "*.txtar"))
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			f, err := loadFile(d, p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there are no fixtures below " + root)
	}
	return all, nil
}

func loadFile(d *hub.Dialect, path string) (*fixture, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	f := &fixture{dialect: d, options: d.Defaults(), settle: d.Settle, name: d.Name + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")}
	var events []byte
	for _, file := range archive.Files {
		switch file.Name {
		case "options":
			err = f.readOptions(string(file.Data))
		case "wire":
			f.wire = file.Data
		case "wire.cut":
			f.wire = bytes.TrimSuffix(file.Data, []byte("\n"))
		case "wire.hex":
			f.wire, err = hex.DecodeString(strings.Join(strings.Fields(string(file.Data)), ""))
		case "events":
			events = file.Data
		}
		if err != nil {
			return nil, err
		}
	}
	if f.wire == nil {
		return f, f.readEvents(events)
	}
	f.decode()
	return f, nil
}

// readOptions reads the options of the dialect, and the two of the harness.
func (f *fixture) readOptions(text string) (err error) {
	raw := map[string]any{}
	f.raw = map[string]string{}
	for line := range strings.Lines(text) {
		key, val, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "":
		case "framing":
			f.framing, err = wire.ParseFraming(val)
		case "settle":
			f.settle, err = time.ParseDuration(val)
		default:
			raw[key], f.raw[key] = val, val
		}
		if err != nil {
			return err
		}
	}
	options, problems := f.dialect.ParseOptions(raw)
	f.options = options
	return errors.Join(problems...)
}

// readEvents reads loose events in native notation.
func (f *fixture) readEvents(text []byte) error {
	dec := native.Dialect.NewDecoder(hub.Options{})
	for line := range bytes.Lines(text) {
		evs, err := dec.Decode(nil, wire.Record{Data: line})
		if err != nil {
			return err
		}
		f.add(evs)
	}
	return nil
}

// decode makes the loose events of the wire. Records that cannot be decoded are skipped, as the proxy does.
func (f *fixture) decode() {
	dec, split := policy.NewDecoder(f.dialect, f.options), wire.NewSplitter(f.framing, 0)
	for buf := f.wire; ; {
		rec, n, err := split.Split(buf, true)
		if err != nil {
			if e, fatal := hub.FramingError(err); fatal {
				f.cause = hub.Fail(hub.CodeMalformed, err)
				if e.Reason == hub.ReasonCut {
					f.cause = hub.Fail(hub.CodeTruncated, err)
				}
				break
			}
		}
		if n == 0 && err == nil {
			break
		}
		if rec.Data != nil {
			evs, _ := dec.Decode(nil, rec)
			f.add(evs)
		}
		buf = buf[n:]
	}
	f.add(dec.Finish(nil, f.cause))
}

// add keeps copies of events.
func (f *fixture) add(evs []hub.Event) {
	for i := range evs {
		f.loose = append(f.loose, clone(&evs[i]))
	}
}

// clone copies an event by way of the native notation.
func clone(ev *hub.Event) hub.Event {
	copies, err := native.Dialect.NewDecoder(hub.Options{}).Decode(nil, wire.Record{Data: native.Append(nil, ev)})
	if err != nil {
		panic("BUG: an event cannot be copied: " + err.Error())
	}
	return copies[0]
}

// upstream is the wire as an agent server sends it, nil if there is none.
func (f *fixture) upstream() *Upstream {
	if f.wire == nil {
		return nil
	}
	framing := f.framing
	if framing == wire.Auto {
		framing = f.dialect.Framing
	}
	return &Upstream{
		Dialect: f.dialect.Name, Options: f.upstreamOptions(), Framing: f.framing.String(), Settle: f.settle.String(),
		Type: framing.ContentType(), Wire: f.wire,
	}
}

// upstreamOptions are the options of the fixture that mean something where its dialect is read.
func (f *fixture) upstreamOptions() map[string]string {
	options := map[string]string{}
	for _, spec := range f.dialect.Options {
		if v, ok := f.raw[spec.Name]; ok && adapters.Applies(spec, adapters.Upstream) {
			options[spec.Name] = v
		}
	}
	return options
}
