package adaptertest

import "testing"

// TestShare: what is no share is refused, and the shares of a number are all changes, each once.
func TestShare(t *testing.T) {
	for _, text := range []string{"", "most", "1", "3/3", "-1/3", "1/0", "1/3x", "01/3", "1 /3"} {
		if err := new(share).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	defer func(was share) { whichChanges = was }(whichChanges)
	body := []byte(`{"a":[1,{"b":"c"}],"d":null}`)
	tried := map[string]int{}
	for text, counts := range map[string]int{"0/3": 1, "1/3": 1, "2/3": 1, "all": -1} {
		if err := whichChanges.Set(text); err != nil {
			t.Fatal(err)
		}
		n := 0
		for changed := range sampled(changes(body), "name") {
			tried[string(changed)] += counts
			n++
		}
		if n == 0 {
			t.Errorf("%s tries nothing", text)
		}
	}
	for changed, more := range tried {
		if more != 0 {
			t.Errorf("the shares try %s %d times more than all", changed, more)
		}
	}
}
