package finish

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestStatus(t *testing.T) {
	for reason, want := range map[string]hub.Status{
		"stop": hub.StatusDone, "other": hub.StatusDone, "": hub.StatusDone, "length": hub.StatusLength,
		"content-filter": hub.StatusFiltered, "error": hub.StatusFailed, "tool-calls": hub.StatusTools,
	} {
		if got := Status([]byte(reason)); got != want {
			t.Errorf("%s: got %v, want %v", reason, got, want)
		}
	}
}
