/** The highest load that is served without trouble, and how it is found. */
@NullMarked
package io.dht4j.benchmarks.stable;

import org.jspecify.annotations.NullMarked;
