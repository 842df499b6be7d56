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
		{"requests.md", fmt.Sprintf("waits, up to %d MiB for each connection", maxMail/mib)},
		{"configuration.md", fmt.Sprintf("up to %d KiB of each", maxAgentError/kib)},
	} {
		if !strings.Contains(document(t, c.file), c.says) {
			t.Errorf("docs/%s does not say %q", c.file, c.says)
		}
	}
}

// document is what a document says, without line ends.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// TestFixedBoundsAreAsDocumented: the table of what has a bound and no key holds what the program does, row by row.
func TestFixedBoundsAreAsDocumented(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(document(t, "operations.md"), "## Fixed bounds ")
	table, _, _ = strings.Cut(table, " ## ")
	_, table, _ = strings.Cut(table, "|---|---| ")
	for i, cell := range fixedBounds() {
		row, rest, _ := strings.Cut(strings.TrimPrefix(table, "| "), " |")
		bound, rest, ok := strings.Cut(strings.TrimPrefix(rest, " "), " |")
		if !ok || bound != cell {
			t.Fatalf("row %d, %q: the document says %q, the program %q", i+1, row, bound, cell)
		}
		table = strings.TrimPrefix(rest, " ")
	}
	if table != "" {
		t.Errorf("no bound of the program is compared with %q", table)
	}
}

// fixedBounds are the bounds of the table, in its order.
func fixedBounds() (cells []string) {
	size := func(n int) string {
		if n%(1<<20) == 0 {
			return fmt.Sprintf("%d MiB", n>>20)
		}
		return fmt.Sprintf("%d KiB", n>>10)
	}
	for _, bound := range []any{
		adminConnections, size(adminHeader), fmt.Sprint(adminTime, " each"), maxPages, pageLines, pageInterval, pageBeat, liveRunsAtMost,
		leastConnections, fmt.Sprintf("%d, and 1 of %d", reservedFiles, reservedShare), maxDebt,
		maxControlFrames, maxWaiting, size(headOfMessage), size(handshakeBuffer), fmt.Sprint(longestName, " bytes"),
		size(maxCard), size(maxBegun), size(maxCheck), maxChecks, askSettle, askedAll, commandWait, maxCancelRequest, fmt.Sprint(maxNaming, ", ", size(maxNamingBytes)), maxUnnamed,
		claimTime, fmt.Sprint(claimWait, ", ", claimLook), fmt.Sprint(lookMost, ", ", lookAgain), redisDialTimeout, storeFaults,
		fmt.Sprintf("%d in %v", stderrLines, stderrTime), recordingsWaiting, fmt.Sprint(exportTime, ", ", batchTime, ", ", lastSpans),
		maxTools, maxAudited, strings.TrimSuffix(maxOpen.String(), "0m0s"),
	} {
		cells = append(cells, fmt.Sprint(bound))
	}
	return cells
}
