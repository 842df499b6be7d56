package openaichat

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestUsageForm: an object that is like the last one but for its counts counts as one that is read.
func TestUsageForm(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", longestForm)
	quick, slow := newDecoder(Dialect.Defaults()).(*decoder), newDecoder(Dialect.Defaults()).(*decoder)
	likes := 0
	for _, text := range []string{
		`{"prompt_tokens":20,"completion_tokens":1,"total_tokens":21}`,
		`{"prompt_tokens":20,"completion_tokens":2,"total_tokens":22}`,
		`{"prompt_tokens":20,"completion_tokens":12,"total_tokens":32}`,
		`{"prompt_tokens":20,"completion_tokens":012,"total_tokens":32}`, // no number
		`{"prompt_tokens":20,"completion_tokens":13,"total_tokens":33} `,
		`{"prompt_tokens":20,"completion_tokens":14,"total_tokens":34}`,
		`{"prompt_tokens":20,"completion_tokens":1.5,"total_tokens":34}`,
		`{"prompt_tokens":20,"completion_tokens":15,"total_tokens":35,"completion_tokens_details":{"reasoning_tokens":3},"prompt_tokens_details":{"cached_tokens":0}}`,
		`{"prompt_tokens":20,"completion_tokens":16,"total_tokens":36,"completion_tokens_details":{"reasoning_tokens":4},"prompt_tokens_details":{"cached_tokens":7}}`,
		`{"prompt_tokens":20,"completion_tokens":16,"total_tokens":36,"completion_tokens_details":{"reasoning_tokens":4},"prompt_tokens_details":{"cached_tokens":0}}`,
		`{"prompt_cache_hit_tokens":4,"prompt_tokens_details":{"cached_tokens":5},"prompt_tokens":21}`, // two counts of one thing
		`{"prompt_cache_hit_tokens":6,"prompt_tokens_details":{"cached_tokens":5},"prompt_tokens":22}`,
		`{"prompt_tokens":23,"of":"` + long + `"}`,
		`{"prompt_tokens":24,"of":"` + long + `"}`,
		`{"cost":0.5,"prompt_tokens":25}`,
		`{"cost":0.5,"prompt_tokens":26}`,
		`{"cost":0.7,"prompt_tokens":27}`,
		`{"prompt_tokens":1234567890123456789012,"total_tokens":40}`,
		`{"prompt_tokens":28}`,
		`{"prompt_tokens":29}`,
	} {
		slow.form.reset()
		slow.count(rawjson.Value(text))
		quick.form.tries = min(quick.form.tries, 1) // so that it is kept in any case
		if quick.form.count(rawjson.Value(text)) {
			likes++
		} else {
			quick.count(rawjson.Value(text))
		}
		if !reflect.DeepEqual(quick.usage, slow.usage) {
			t.Fatalf("behind %s: got %+v, want %+v", text, quick.usage, slow.usage)
		}
	}
	if likes < 6 {
		t.Errorf("%d objects were like the one before", likes)
	}
	if quick.Reset(); quick.form.count(rawjson.Value(`{"prompt_tokens":30}`)) || quick.usage.In != hub.NoCounts.In {
		t.Error("a form is known behind the end of its stream")
	}
	for i := range 3 * mostTries {
		quick.count(rawjson.Value(`{"prompt_tokens":1,"x":"` + strings.Repeat("y", i) + `"}`))
	}
	if len(quick.form.text) != 0 {
		t.Error("objects that are all different are kept again and again")
	}
}
