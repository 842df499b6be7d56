package proxy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBoundsAreAsDocumented: the bounds that the documents name are those of the program.
func TestBoundsAreAsDocumented(t *testing.T) {
	t.Parallel()
	const mib, kib = 1 << 20, 1 << 10
	words := map[int]string{3: "three", 8: "eight"}
	for _, c := range []struct{ file, says string }{
		{"operations.md", fmt.Sprintf("What %d,%03d clients have used is remembered", maxAccounts/1000, maxAccounts%1000)},
		{"operations.md", fmt.Sprintf("of IPv6 its first %d bits", clientBits)},
		{"operations.md", fmt.Sprintf("| 1 to %d, by chance", mostRetry)},
		{"inspect.md", fmt.Sprintf("the last %d, %d MiB of all, %d MiB of one", maxInspected, maxInspectedMB/mib, maxRunShown/mib)},
		{"recordings.md", fmt.Sprintf("of the %d MiB of all runs that are being recorded", maxRecordingMemory/mib)},
		{"recordings.md", fmt.Sprintf("or larger than %d MiB", maxTapped/mib)},
		{"recordings.md", fmt.Sprintf("took the client %d ms or longer", slowWrite.Milliseconds())},
		{"resume.md", fmt.Sprintf("`Idempotency-Key`, of at most %d bytes", longestRepeatKey)},
		{"resume.md", fmt.Sprintf("waits for room, up to %d MiB", storeBacklog/mib)},
		{"resume.md", fmt.Sprintf("until more than %d MiB wait", storeBacklog/mib)},
		{"conformance.md", "explains the first " + words[loggedOfRun] + " of a run"},
		{"requests.md", "The last " + words[maxAnswers] + " answers are known so"},
		{"requests.md", fmt.Sprintf("Up to %d run at once on a connection", maxMultiplexed)},
		{"configuration.md", fmt.Sprintf("up to %d KiB of each", maxAgentError/kib)},
	} {
		text, err := os.ReadFile(filepath.Join("..", "docs", c.file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), c.says) {
			t.Errorf("docs/%s does not say %q", c.file, c.says)
		}
	}
}
