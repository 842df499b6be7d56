//go:build unix

package proxy

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// TestRecordingsArePrivate: only the user that Sabir runs as can enter a folder that is made for recordings, and read what is there.
func TestRecordingsArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "anew")
	cfg := &config.Record{Dir: dir, MaxFiles: 1}
	r := newRecordingFiles(zap.NewNop(), nil, func(string) {})
	tape := r.tape(&routeTaps{cfg: cfg})
	tape.add([]byte("{}\n"))
	r.keep(cfg, "id", tape)
	r.close()
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*")) // the pattern is no bad one
	if len(files) != 1 || mode(files[0]) != 0o600 || mode(dir) != 0o700 || mode(filepath.Dir(dir)) != 0o700 {
		t.Errorf("%v in a folder of mode %o", files, mode(dir))
	}
}
