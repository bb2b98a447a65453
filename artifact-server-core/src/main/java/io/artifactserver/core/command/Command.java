package io.artifactserver.core.command;

import java.util.concurrent.Callable;

/**
 * Runs in place of the server when the first argument is its name. A class that picocli
 * understands: its annotations give the name, the options and the help. Found by {@link
 * java.util.ServiceLoader}, so that the program's start need not know who implements it. The result
 * is the process's exit status, 0 if it did what it was asked to; an exception is printed as one
 * line and ends in 1.
 */
public interface Command extends Callable<Integer> {}
