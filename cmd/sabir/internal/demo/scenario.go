// Package demo shows what Sabir does without an agent of one's own: it replays runs made by hand, live behind the real proxy
// or once on the terminal.
package demo

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// dialect is what all recordings speak, and options are those they are read with: the links in the results of browser
// tools are part of what there is to see.
const dialect = "evolve"

var options = map[string]any{"browser": true}

//go:embed recordings/*.txtar
var recordings embed.FS

// scenario is a run made by hand after the documented events of the dialect.
type scenario struct {
	name    string
	about   string // what there is to see, in a few words
	records []record
	cut     bool // the connection breaks inside the last record
}

// record is one record as the agent sends it, its line end included.
type record struct {
	after time.Duration // since the record before
	data  []byte
}

// Tour is the scenario that is replayed by default.
const Tour = "tour"

// Names lists the scenarios.
func Names() []string {
	all, _ := scenarios() // a test reads them, too
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.name
	}
	return names
}

// Check reports what is wrong with the choice of a scenario and a speed.
func Check(scenario string, speed float64) error {
	all, err := scenarios()
	if err != nil {
		return err
	}
	_, err = find(all, scenario)
	if speed <= 0 || speed > maxSpeed || math.IsNaN(speed) {
		err = errors.Join(err, fmt.Errorf("the speed must be more than 0 and at most %d", maxSpeed))
	}
	return err
}

const maxSpeed = 1000

// scenarios returns all runs, the first one first.
func scenarios() ([]*scenario, error) {
	names, err := fs.Glob(recordings, "recordings/*.txtar")
	if err != nil {
		return nil, err
	}
	var all []*scenario
	for _, name := range names {
		data, err := recordings.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := parse(strings.TrimSuffix(path.Base(name), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if s.name == Tour {
			all = append([]*scenario{s}, all...)
		} else {
			all = append(all, s)
		}
	}
	return all, nil
}

// find returns the scenario of that name.
func find(all []*scenario, name string) (*scenario, error) {
	names := make([]string, len(all))
	for i, s := range all {
		if s.name == name {
			return s, nil
		}
		names[i] = s.name
	}
	return nil, fmt.Errorf("there is no scenario %q; there is: %s", name, strings.Join(names, ", "))
}

// parse reads a recording: what it shows and its origin, then the records. A record that is no JSON is one in which the
// connection breaks.
func parse(name string, data []byte) (*scenario, error) {
	s := &scenario{name: name}
	archive := txtar.Parse(data)
	s.about, _, _ = strings.Cut(string(archive.Comment), "\n")
	if len(archive.Files) != 1 || archive.Files[0].Name != "wire" {
		return nil, errors.New("want one section, wire")
	}
	for line := range strings.Lines(string(archive.Files[0].Data)) {
		if err := s.addRecord(strings.TrimLeft(line, " ")); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *scenario) addRecord(line string) error {
	delay, data, _ := strings.Cut(line, " ")
	ms, err := strconv.Atoi(delay)
	if err != nil || ms < 0 || s.cut {
		return fmt.Errorf("%.40q is no record: want milliseconds and JSON, and nothing after a cut", line)
	}
	if !json.Valid([]byte(data)) {
		s.cut = true
		data = strings.TrimRight(data, "\n")
	}
	s.records = append(s.records, record{time.Duration(ms) * time.Millisecond, []byte(data)})
	return nil
}

// lasts is the duration of the whole run.
func (s *scenario) lasts() (total time.Duration) {
	for _, r := range s.records {
		total += r.after
	}
	return total
}
