/// An error in a text file, whose description begins with the position: `FILE:LINE:COLUMN:`.
package protocol ErrorInFile: ErrorWithExitCode {}
