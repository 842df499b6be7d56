package proxy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
)

// recordingFiles writes recordings to files, in one goroutine, so that no stream waits for a disk.
type recordingFiles struct {
	log     *zap.Logger
	dropped counter              // lines
	count   func(result string)  // recordings
	memory  memoryBudget         // of what is not written yet
	jobs    chan recordingToKeep // full: the disk does not keep up

	start sync.Once
	done  chan struct{} // closed when all is written
}

type recordingToKeep struct {
	cfg  *config.Record
	id   string
	tape *runTape
}

const (
	maxRecordingMemory = 256 << 20 // of runs that are being recorded, and wait to be written
	recordingsWaiting  = 64
)

func newRecordingFiles(log *zap.Logger, dropped counter, count func(string)) *recordingFiles {
	return &recordingFiles{
		log: log, dropped: dropped, count: count, memory: memoryBudget{limit: maxRecordingMemory},
		jobs: make(chan recordingToKeep, recordingsWaiting), done: make(chan struct{}),
	}
}

// tape begins the recording of a run.
func (r *recordingFiles) tape(t *routeTaps) *runTape {
	tape := &runTape{filter: t.filter, max: int64(t.cfg.MaxBytes), shared: &r.memory, lost: r.dropped}
	tape.summary.Live = true
	return tape
}

// keep hands a run over that has ended. It never waits.
func (r *recordingFiles) keep(cfg *config.Record, id string, tape *runTape) {
	r.start.Do(func() { go r.run() })
	select {
	case r.jobs <- recordingToKeep{cfg, id, tape}:
	default:
		tape.free()
		r.count("dropped")
	}
}

func (r *recordingFiles) run() {
	defer close(r.done)
	for job := range r.jobs {
		result := "written"
		if err := job.write(); err != nil {
			result = "failed"
			r.log.Error("a recording cannot be written", zap.String("request_id", job.id), zap.Error(err))
		}
		job.tape.free()
		r.count(result)
	}
}

// close waits until all that was handed over is written. No run may end any more.
func (r *recordingFiles) close() {
	r.start.Do(func() { close(r.done) })
	close(r.jobs)
	<-r.done
}

// recordingSuffix is the end of the names of recordings.
const recordingSuffix = ".sabir.jsonl"

// write writes the file of a run, and removes the oldest where there are too many. Others never see half a file.
func (j *recordingToKeep) write() error {
	if err := os.MkdirAll(j.cfg.Dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(j.cfg.Dir, "."+fileName(j.id)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // nothing, once it has its name
	lines, _ := j.tape.from(0)
	for _, line := range lines {
		if _, err := file.Write(line); err != nil {
			file.Close()
			return err
		}
	}
	if err := file.Close(); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s%s", time.Now().UTC().Format("20060102T150405.000000000"), fileName(j.id), recordingSuffix)
	if err := os.Rename(file.Name(), filepath.Join(j.cfg.Dir, name)); err != nil {
		return err
	}
	return j.thin()
}

// thin removes the oldest recordings beyond those that may be kept. Their names are in the order of time.
func (j *recordingToKeep) thin() error {
	entries, err := os.ReadDir(j.cfg.Dir)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !strings.HasSuffix(e.Name(), recordingSuffix) })
	for _, old := range entries[:max(0, len(entries)-j.cfg.MaxFiles)] {
		err := os.Remove(filepath.Join(j.cfg.Dir, old.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may remove the same
			return err
		}
	}
	return nil
}

// fileName is a request id, which clients choose, as a part of the name of a file.
func fileName(id string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, id)
	return clean[:min(len(clean), 48)]
}
