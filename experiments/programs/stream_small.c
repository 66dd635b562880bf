/* The four loops of STREAM (J. D. McCalpin, 1995) on arrays of N numbers, small enough to record every access.
 *
 *   gcc -O1 -static -o stream_small stream_small.c
 *   valgrind --tool=lackey --trace-mem=yes --log-file=stream_small.lackey ./stream_small 65536 1
 *
 * Arguments: numbers in each of the three arrays, rounds. One number in each array is checked at the end.
 */
#include <stdio.h>
#include <stdlib.h>

static double *array(long count, double value)
{
    double *numbers = malloc((size_t)count * sizeof *numbers);
    if (numbers == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    for (long i = 0; i < count; i++) numbers[i] = value;
    return numbers;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 65536, rounds = argc > 2 ? atol(argv[2]) : 1;
    if (count < 1 || rounds < 1) {
        fprintf(stderr, "usage: stream_small [NUMBERS [ROUNDS]]\n");
        return 2;
    }
    double *a = array(count, 1.0), *b = array(count, 2.0), *c = array(count, 0.0);
    const double factor = 3.0;
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < count; i++) c[i] = a[i];
        for (long i = 0; i < count; i++) b[i] = factor * c[i];
        for (long i = 0; i < count; i++) c[i] = a[i] + b[i];
        for (long i = 0; i < count; i++) a[i] = b[i] + factor * c[i];
    }
    printf("%g %g %g\n", a[0], b[count / 2], c[count - 1]);
    return 0;
}
