/** Deletion of directories. */
@NullMarked
package io.dht4j.benchmarks.files;

import org.jspecify.annotations.NullMarked;
