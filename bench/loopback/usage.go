package main

import "time"

// familyTime is how long a process and all that it has started have run.
func familyTime(pid int) (sum time.Duration, err error) {
	for i, member := range family(pid) {
		t, err := cpuTime(member)
		if err != nil && i == 0 {
			return 0, err
		}
		sum += t // 0 of one that has just ended
	}
	return sum, nil
}

// familyResident is what a process and all that it has started have in memory.
func familyResident(pid int) (sum int64, err error) {
	for i, member := range family(pid) {
		n, err := resident(member)
		if err != nil && i == 0 {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// residentMB is what a process and all that it has started have in memory, in MB; negative if that is not known.
func residentMB(pid int) float64 {
	if pid == 0 {
		return -1
	}
	n, err := familyResident(pid)
	if err != nil {
		return -1
	}
	return float64(n) / 1e6
}

// streamsFor is how many streams a proxy can hold with so many files: two for each, and some for itself.
func streamsFor(files, wanted int) int {
	const own = 200
	if files <= 0 {
		return wanted
	}
	return max(1, min(wanted, (files-own)/2))
}
