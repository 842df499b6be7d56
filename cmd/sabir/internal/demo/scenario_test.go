package demo

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

func TestScenarios(t *testing.T) {
	all, err := scenarios()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 3 || all[0].name != Tour || strings.Join(Names(), " ") != "tour cut error" {
		t.Errorf("got %v", Names())
	}
	for _, s := range all {
		if s.about == "" || len(s.about) > 60 {
			t.Errorf("%s: says %q of itself", s.name, s.about)
		}
		if s.cut != (s.name == "cut") {
			t.Errorf("%s: cut is %t", s.name, s.cut)
		}
		if d := s.lasts(); d < time.Second || d > 20*time.Second {
			t.Errorf("%s lasts %s, which is no human pace", s.name, d)
		}
	}
}

func TestCheck(t *testing.T) {
	f := func(scenario string, speed float64, wants ...string) {
		t.Helper()
		err := Check(scenario, speed)
		if (err != nil) != (len(wants) > 0) {
			t.Fatalf("%s, %g: got %v", scenario, speed, err)
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %g: got %v, want %s", scenario, speed, err, want)
			}
		}
	}
	f(Tour, 1)
	f("cut", 0.1)
	f("tuor", 0, `there is no scenario "tuor"; there is: tour, cut, error`, "the speed must be more than 0")
	f(Tour, -1, "the speed")
	f(Tour, 1e9, "the speed")
	f(Tour, math.NaN(), "the speed")
}

func TestParse(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := parse("x", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	f("about\n", "want one section")
	f("about\n-- wires --\n0 {}\n", "want one section")
	f("about\n-- wire --\n{}\n", "is no record")
	f("about\n-- wire --\n-5 {}\n", "is no record")
	f("about\n-- wire --\n0 {\n0 {}\n", "nothing after a cut")
}

// A replay sends record after record, never two at once, and then ends or breaks.
func TestReplay(t *testing.T) {
	f := func(wire string, end error, want ...string) {
		t.Helper()
		s, err := parse("x", []byte("about\n-- wire --\n"+wire))
		if err != nil {
			t.Fatal(err)
		}
		r := &replay{ctx: t.Context(), s: s}
		var got []string
		buf := make([]byte, 64)
		for err == nil {
			var n int
			if n, err = r.Read(buf); n > 0 {
				got = append(got, string(buf[:n]))
			}
		}
		if strings.Join(got, "|") != strings.Join(want, "|") || !errors.Is(err, end) {
			t.Errorf("got %q and %v, want %q and %v", got, err, want, end)
		}
	}
	f(" 0 {\"a\":1}\n5 {}\n", io.EOF, "{\"a\":1}\n", "{}\n")
	f("0 {}\n0 {\"a\":\n", errBroken, "{}\n", "{\"a\":")
	f("", io.EOF)
}

func TestReplayStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := parse("x", []byte("about\n-- wire --\n3600000 {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, speed := range []float64{0, 1} {
		if _, err := (&replay{ctx: ctx, s: s, speed: speed}).Read(make([]byte, 8)); !errors.Is(err, context.Canceled) {
			t.Errorf("speed %g: got %v", speed, err)
		}
	}
}
