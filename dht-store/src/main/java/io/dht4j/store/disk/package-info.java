/**
 * Files that survive power failures: the calls that change them, which tests replace, and files written as a whole. For
 * use inside the library only.
 */
@NullMarked
package io.dht4j.store.disk;

import org.jspecify.annotations.NullMarked;
