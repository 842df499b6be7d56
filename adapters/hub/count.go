package hub

// Sizes of the vocabularies, for arrays of counters indexed by their values.
const (
	NumKinds        = int(kindCount)
	NumDispositions = int(dispositionCount)
)

// Dispositions lists every disposition.
func Dispositions() []Disposition {
	all := make([]Disposition, NumDispositions)
	for i := range all {
		all[i] = Disposition(i)
	}
	return all
}

// NumClasses is the size of the vocabulary of classes.
const NumClasses = int(classCount)
