/** The documents that the build of the packages makes from the command line: manual pages and completions. */
@NullMarked
package io.dht4j.packaging;

import org.jspecify.annotations.NullMarked;
