package a2a

import (
	"strconv"
	"testing"
)

// TestArtifactNames: no two artifacts of a task have one id, and the next one of a name is found at once, however many there are.
func TestArtifactNames(t *testing.T) {
	e := Dialect.NewEncoder(Dialect.Defaults()).(*encoder)
	const artifacts = 1000
	for i := range artifacts {
		want := "m"
		if i > 0 {
			want += "-" + strconv.Itoa(i+1)
		}
		if got := string(e.name([]byte("m"))); got != want {
			t.Fatalf("artifact %d is %s, want %s", i+1, got, want)
		}
	}
	if next := e.used["m"]; next != artifacts+1 {
		t.Errorf("the next number is looked for from %d on", next)
	}
	if got := string(e.name([]byte("m-7"))); got != "m-7-2" {
		t.Errorf("a name that is taken becomes %s", got)
	}
}
