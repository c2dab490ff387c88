#ifndef CVERSION_H
#define CVERSION_H

/// Returns the version that Package.swift defines: `X.Y.Z`, or `X.Y.Z~` and a suffix for a build between releases.
const char *lamplighter_version(void);

#endif
