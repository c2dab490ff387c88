#ifndef CVERSION_H
#define CVERSION_H

/// The version that Package.swift was given: `X.Y.Z`, or `X.Y.Z~` and the name of a build between releases.
const char *lamplighter_version(void);

#endif
